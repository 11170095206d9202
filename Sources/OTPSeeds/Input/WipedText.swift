import OTP

/// Text that is collected byte by byte, up to a limit, in memory that is wiped, since it may contain a secret.
final class WipedText {
  private let memory: SecretBytes
  private(set) var count = 0

  init(limit: Int) { memory = SecretBytes(capacity: limit) }

  /// Appends a byte; false if the limit is reached.
  func append(_ byte: UInt8) -> Bool {
    guard count < memory.byteCount else { return false }
    unsafe memory.mutableBytes[count] = byte
    count += 1
    return true
  }

  func removeAll() { count = 0 }

  /// Lends the whole text, or a range of it.
  func withBytes<R>(_ range: Range<Int>? = nil, _ body: (Span<UInt8>) throws(SeedRefusal) -> R) throws(SeedRefusal) -> R
  {
    try memory.withBytes { (bytes) throws(SeedRefusal) in try body(bytes.extracting(range ?? 0..<count)) }
  }
}

/// Reads a file line by line.
struct LineReader {
  /// The longest line accepted, in bytes. A QR code holds at most 4,296 characters.
  static let maximumByteCount = 1 << 14

  let source: SeedSource
  /// The line read last, without its line ending.
  let text = WipedText(limit: maximumByteCount)
  /// Its number, from 1.
  private(set) var line = 0

  init(_ source: SeedSource) { self.source = source }

  /// Reads the next line that is not blank; false at the end.
  mutating func next() throws(SeedRefusal) -> Bool {
    if line == 0 { try source.skipByteOrderMark() }
    while try source.peek() != nil {
      line = source.line
      text.removeAll()
      var isBlank = true
      while let byte = try source.next(), byte != 0x0A {
        if byte == 0x0D, try source.peek() == 0x0A { continue }
        if !byte.isWhiteSpace { isBlank = false }
        guard text.append(byte) else { throw SeedRefusal(line: line, .record, .tooLong) }
      }
      if !isBlank { return true }
    }
    return false
  }
}
