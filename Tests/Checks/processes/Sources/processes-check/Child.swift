import Foundation

/// A child process running this program, and its output.
final class Child: @unchecked Sendable {
  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()
  private let lock = NSLock()
  private var written = Data()
  /// The number of bytes of whole lines that were taken.
  private var taken = 0
  /// When the last sign-in was reported, and the longest time between two of them.
  private var pauses = (last: ContinuousClock.now, longest: Duration.zero)
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
        lock.withLock {
          written.append(data)
          guard data.range(of: Data("accepted".utf8)) != nil else { return }
          pauses = (.now, max(pauses.longest, .now - pauses.last))
        }
      }
      ended.signal()
    }
  }

  /// Whether it has written anything yet.
  var hasWritten: Bool { lock.withLock { !written.isEmpty } }

  /// The number of bytes it has written.
  var writtenCount: Int { lock.withLock { written.count } }

  /// The lines that it has written since the last call.
  func takeLines() -> [String] {
    lock.withLock {
      guard let end = written.lastIndex(of: UInt8(ascii: "\n")), end >= taken else { return [] }
      defer { taken = end + 1 }
      return String(decoding: written[taken..<end], as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  /// The longest time between two sign-ins that it has reported since `forgetPauses`.
  var longestPause: Duration { lock.withLock { pauses.longest } }

  func forgetPauses() { lock.withLock { pauses = (.now, .zero) } }

  /// Sends it a line. If it has ended, that is noticed by the lines that it does not write.
  func send(_ line: String) { try? input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

  /// Lets a waiting process begin.
  func begin() { try? input.fileHandleForWriting.close() }

  /// Whether it has not ended.
  var isRunning: Bool { process.isRunning }

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
