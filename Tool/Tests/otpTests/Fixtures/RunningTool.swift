import Foundation

/// A running process of the tool.
final class RunningTool {
  struct Pipes {
    let input = Pipe()
    let output = Pipe()
    let error = Pipe()
  }

  private let process: Process
  private let pipes: Pipes
  private var output = Data()

  init(process: Process, pipes: Pipes) {
    self.process = process
    self.pipes = pipes
  }

  /// Writes to its standard input. It is not a failure if the tool does not read it.
  func write(_ text: String) {
    try? pipes.input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
  }

  /// Reads its standard output until a line starts with a prefix.
  ///
  /// - Returns: All lines so far, without line breaks; if the output ended first, the last one may be incomplete.
  func lines(until prefix: String) throws -> [String] {
    while true {
      let lines = String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      if let index = lines.dropLast().firstIndex(where: { $0.hasPrefix(prefix) }) {
        return lines[...index].map(String.init)
      }
      let part = pipes.output.fileHandleForReading.availableData
      guard !part.isEmpty else { return lines.map(String.init) }
      output += part
    }
  }

  /// Ends it.
  func stop() {
    process.terminate()
    process.waitUntilExit()
  }

  /// Closes its standard input, and waits until it ends.
  func finish() throws -> Run {
    try? pipes.input.fileHandleForWriting.close()
    output += try pipes.output.fileHandleForReading.readToEnd() ?? Data()
    let error = try pipes.error.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Run(
      output: String(decoding: output, as: UTF8.self), error: String(decoding: error, as: UTF8.self),
      status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus)
  }
}
