import OTP

/// A line, a row of a table, or the text of an element, collected byte by byte, up to a limit, in memory that is wiped,
/// since it may contain a secret.
final class WipedText {
  /// The longest text accepted, in bytes. A QR code holds at most 4,296 characters.
  private static let maximumByteCount = 1 << 14

  private let memory = SecretBytes(capacity: maximumByteCount)
  private(set) var count = 0

  func append(_ byte: UInt8, line: Int) throws(SeedRefusal) {
    guard count < Self.maximumByteCount else { throw SeedRefusal(line: line, .record, .tooLong) }
    unsafe memory.mutableBytes[count] = byte
    count += 1
  }

  func removeAll() { count = 0 }

  /// Lends the whole text, or a range of it.
  func withBytes<R>(_ range: Range<Int>? = nil, _ body: (Span<UInt8>) throws(SeedRefusal) -> R) throws(SeedRefusal) -> R
  {
    try memory.withBytes { (bytes) throws(SeedRefusal) in try body(bytes.extracting(range ?? 0..<count)) }
  }
}
