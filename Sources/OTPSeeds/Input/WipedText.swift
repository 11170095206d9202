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
