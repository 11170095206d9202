internal import COTPSupport
import Foundation
import OTP

/// Lines from one descriptor, each answered by a line on another before the next is read: what is in memory is bounded,
/// and a client that does not read its answers holds up only itself. A line is wiped when it is answered.
struct LineStream: ~Copyable {
  /// The longest line that is answered, in bytes without its end.
  static let maximumByteCount = 1 << 16

  private let input, output: Int32
  /// What was read, with room for a line and its end.
  private let memory = SecretBytes(capacity: LineStream.maximumByteCount + 1)
  /// Where in it is what was not answered yet.
  private var unanswered = 0..<0
  /// Whether the input ended by an error.
  private(set) var isInputBroken = false

  init(input: Int32, output: Int32) { (self.input, self.output) = (input, output) }

  /// Answers all lines until the input ends.
  ///
  /// - Parameter answer: The answer, with its end, to a line in memory or, if that is too long, to its beginning.
  /// - Returns: Whether all answers could be written.
  mutating func serve(_ answer: (SecretBytes, _ line: Range<Int>, _ isCut: Bool) -> [UInt8]) -> Bool {
    var (isContinued, searchedCount) = (false, 0)
    while true {
      let end = newline(after: unanswered.lowerBound + searchedCount)
      searchedCount = unanswered.count
      if end == nil, unanswered.count < memory.byteCount, fill() { continue }
      if end == nil, unanswered.isEmpty || isInputBroken { return true }
      let line = unanswered.lowerBound..<(end ?? unanswered.upperBound)
      if !isContinued {
        let isCut = line.count > Self.maximumByteCount
        guard Self.send(answer(memory, line, isCut), to: output) else { return false }
      }
      wipe(line)
      unanswered = (end.map { $0 + 1 } ?? unanswered.upperBound)..<unanswered.upperBound
      (isContinued, searchedCount) = (end == nil, 0)
    }
  }

  private func newline(after start: Int) -> Int? {
    unsafe memory.mutableBytes[start..<unanswered.upperBound].firstIndex(of: UInt8(ascii: "\n"))
  }

  /// Reads more; whether there was something.
  private mutating func fill() -> Bool {
    guard let start = unsafe memory.mutableBytes.baseAddress else { return false }
    if unanswered.lowerBound > 0 {
      let count = unanswered.count
      unsafe memmove(start, start + unanswered.lowerBound, count)
      wipe(max(count, unanswered.lowerBound)..<unanswered.upperBound)
      unanswered = 0..<count
    }
    let end = unanswered.upperBound
    let count = retrying { unsafe read(input, start + end, memory.byteCount - end) }
    isInputBroken = count < 0
    unanswered = 0..<end + max(0, count)
    return count > 0
  }

  private func wipe(_ part: Range<Int>) {
    unsafe otp_wipe(memory.mutableBytes.baseAddress.map { unsafe $0 + part.lowerBound }, part.count)
  }

  /// - Returns: Whether all could be written.
  static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { bytes in
        retrying { unsafe write(descriptor, bytes.baseAddress, bytes.count) }
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

/// Repeats a system call that is interrupted by a signal.
func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    guard result < 0, errno == EINTR else { return result }
  }
}
