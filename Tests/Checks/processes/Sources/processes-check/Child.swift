import Foundation

/// A child process running this program, and its output.
final class Child: @unchecked Sendable {
  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()
  private let lock = NSLock()
  private var written = Data()
  private let ended = DispatchSemaphore(value: 0)

  init(_ arguments: [String]) throws {
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    process.standardOutput = output
    process.standardInput = input
    try process.run()
    Thread.detachNewThread { [self] in
      while true {
        let data = output.fileHandleForReading.availableData
        if data.isEmpty { break }
        lock.withLock { written.append(data) }
      }
      ended.signal()
    }
  }

  /// Whether it has written anything yet.
  var hasWritten: Bool { lock.withLock { !written.isEmpty } }

  /// The number of bytes it has written.
  var writtenCount: Int { lock.withLock { written.count } }

  /// Lets a waiting process begin.
  func begin() { try? input.fileHandleForWriting.close() }

  /// Kills it at once.
  func kill() { _ = Foundation.kill(process.processIdentifier, SIGKILL) }

  /// The lines that it wrote until it ended, and whether it exited by itself with success.
  func wait() -> (lines: [String], isWell: Bool) {
    process.waitUntilExit()
    ended.wait()
    let text = lock.withLock { String(decoding: written, as: UTF8.self) }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    return (lines, process.terminationReason == .exit && process.terminationStatus == 0)
  }
}
