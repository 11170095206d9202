/// Lines from one descriptor, each answered by a line on another before the next is read: what is in memory is bounded,
/// and a client that does not read its answers holds up only itself. A line is wiped when it is answered.
@safe struct LineStream: ~Copyable {
  /// The longest line that is answered, in bytes without its end.
  static let maximumByteCount = 1 << 16

  private let input: Int32
  private let output: Int32
  /// What was read, with room for a line and its end.
  private let memory: UnsafeMutableBufferPointer<UInt8>
  /// Where in it is what was not answered yet.
  private var held = 0..<0
  /// Whether the input ended by an error.
  private(set) var isInputBroken = false

  init(input: Int32, output: Int32) {
    (self.input, self.output) = (input, output)
    unsafe memory = .allocate(capacity: Self.maximumByteCount + 1)
  }

  deinit {
    unsafe Self.wipe(memory[held])
    unsafe memory.deallocate()
  }

  /// Answers all lines until the input ends.
  ///
  /// - Parameter answer: The answer to a line or, if that is too long, to its beginning. It may write to the line.
  /// - Returns: Whether all answers could be written.
  mutating func serve(_ answer: (_ line: UnsafeMutableBufferPointer<UInt8>, _ isCut: Bool) -> String) -> Bool {
    var (isContinued, searchedCount) = (false, 0)
    while true {
      let end = unsafe memory[held].dropFirst(searchedCount).firstIndex(of: UInt8(ascii: "\n"))
      searchedCount = held.count
      if end == nil, unsafe held.count < memory.count, fill() { continue }
      if end == nil, held.isEmpty || isInputBroken { return true }
      let line = unsafe memory[held.lowerBound..<(end ?? held.upperBound)]
      if !isContinued {
        guard unsafe write(answer(.init(rebasing: line), line.count > Self.maximumByteCount)) else { return false }
      }
      unsafe Self.wipe(line)
      held = (end.map { $0 + 1 } ?? held.upperBound)..<held.upperBound
      (isContinued, searchedCount) = (end == nil, 0)
    }
  }

  /// Reads more; whether there was something.
  private mutating func fill() -> Bool {
    guard let start = unsafe memory.baseAddress else { return false }
    if held.lowerBound > 0 {
      unsafe memmove(start, start + held.lowerBound, held.count)
      unsafe Self.wipe(memory[max(held.count, held.lowerBound)..<held.upperBound])
      held = 0..<held.count
    }
    let count = retrying { unsafe read(input, start + held.upperBound, memory.count - held.upperBound) }
    isInputBroken = count < 0
    held = 0..<held.upperBound + max(0, count)
    return count > 0
  }

  /// - Parameter answer: A line without its end.
  /// - Returns: Whether it could be written.
  func write(_ answer: String) -> Bool { writeAll(Array((answer + "\n").utf8), to: output) }

  private static func wipe(_ bytes: Slice<UnsafeMutableBufferPointer<UInt8>>) {
    guard let start = unsafe bytes.base.baseAddress else { return }
    #if canImport(Glibc)
    unsafe explicit_bzero(start + bytes.startIndex, bytes.count)
    #else
    unsafe memset_s(start + bytes.startIndex, bytes.count, 0, bytes.count)
    #endif
  }
}
