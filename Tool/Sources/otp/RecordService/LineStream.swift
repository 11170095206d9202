import Foundation

/// Lines from one descriptor, each answered by a line on another before the next is read: what is in memory is bounded,
/// and a client that does not read its answers holds up only itself.
struct LineStream {
  /// The longest line that is answered, in bytes without its end.
  static let maximumByteCount = 1 << 16

  private let input: Int32
  private let output: Int32
  private var chunk: ArraySlice<UInt8> = []
  /// Whether the input ended by an error.
  private(set) var isInputBroken = false

  init(input: Int32, output: Int32) { (self.input, self.output) = (input, output) }

  /// Answers all lines until the input ends.
  ///
  /// - Parameter answer: The answer to a line or, if that was too long, to its beginning.
  /// - Returns: Whether all answers could be written.
  mutating func serve(_ answer: (_ line: [UInt8], _ isCut: Bool) -> [UInt8]) -> Bool {
    while let (line, isCut) = next() {
      guard write(answer(line, isCut)) else { return false }
    }
    return true
  }

  private mutating func next() -> (line: [UInt8], isCut: Bool)? {
    var line: [UInt8] = []
    var isCut = false
    while !chunk.isEmpty || fill() {
      let end = chunk.firstIndex(of: UInt8(ascii: "\n"))
      let part = chunk[..<(end ?? chunk.endIndex)]
      isCut = isCut || part.count > Self.maximumByteCount - line.count
      line += part.prefix(Self.maximumByteCount - line.count)
      chunk = chunk[(end.map { $0 + 1 } ?? chunk.endIndex)...]
      if end != nil { return (line, isCut) }
    }
    return line.isEmpty || isInputBroken ? nil : (line, isCut)
  }

  private mutating func fill() -> Bool {
    var count = 0
    chunk = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 14) { buffer, filled in
      count = retrying { unsafe read(input, buffer.baseAddress, buffer.count) }
      filled = max(0, count)
    }[...]
    isInputBroken = count < 0
    return !chunk.isEmpty
  }

  /// - Parameter answer: A line without its end.
  /// - Returns: Whether it could be written.
  func write(_ answer: [UInt8]) -> Bool {
    writeAll(answer + [UInt8(ascii: "\n")], to: output)
  }
}
