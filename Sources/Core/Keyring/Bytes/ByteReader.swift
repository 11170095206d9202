import OTP

/// Reads what ``ByteWriter`` wrote, in the same order. For anything else it throws `KeyringError` with `malformed`.
@usableFromInline @safe package struct ByteReader {
  /// Keeps the bytes alive.
  private let memory: SecretBytes
  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  /// A reader that starts at the beginning.
  package init(_ bytes: SecretBytes) {
    memory = bytes
    unsafe self.bytes = UnsafeRawBufferPointer(start: bytes.mutableBytes.baseAddress, count: bytes.byteCount)
  }

  /// Whether all bytes were read.
  package var isAtEnd: Bool { unsafe position == bytes.count }

  /// Throws if there are unread bytes.
  package func finish() throws(KeyringError) {
    guard isAtEnd else { throw KeyringError(.malformed) }
  }

  /// Reads one byte.
  package mutating func readUInt8() throws(KeyringError) -> UInt8 {
    let place = try advance(by: 1)
    defer { withExtendedLifetime(memory) {} }
    return unsafe bytes[place]
  }

  /// Reads one byte that is 1 or 0.
  @usableFromInline package mutating func readBool() throws(KeyringError) -> Bool {
    let byte = try readUInt8()
    guard byte <= 1 else { throw KeyringError(.malformed) }
    return byte == 1
  }

  /// Reads eight bytes.
  package mutating func readUInt64() throws(KeyringError) -> UInt64 {
    let place = try advance(by: 8)
    defer { withExtendedLifetime(memory) {} }
    return UInt64(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
  }

  /// Reads eight bytes, as two's complement.
  package mutating func readInt64() throws(KeyringError) -> Int64 { Int64(bitPattern: try readUInt64()) }

  /// Reads a text, which must be UTF-8.
  package mutating func readString() throws(KeyringError) -> String {
    let counted = try unsafe readCounted()
    defer { withExtendedLifetime(memory) {} }
    guard let text = String(validUTF8: unsafe counted.bindMemory(to: UInt8.self).span) else {
      throw KeyringError(.malformed)
    }
    return text
  }

  /// Reads bytes that are not secret.
  package mutating func readBytes() throws(KeyringError) -> [UInt8] {
    defer { withExtendedLifetime(memory) {} }
    return unsafe Array(try readCounted())
  }

  /// Reads bytes into memory that is wiped.
  package mutating func readSecretBytes() throws(KeyringError) -> SecretBytes {
    let counted = try unsafe readCounted()
    defer { withExtendedLifetime(memory) {} }
    return unsafe SecretBytes(copying: counted.bindMemory(to: UInt8.self).span)
  }

  /// Reads whether there is a value, and the value.
  @inlinable package mutating func readOptional<Value>(
    _ read: (inout ByteReader) throws(KeyringError) -> Value
  ) throws(KeyringError) -> Value? {
    try readBool() ? try read(&self) : nil
  }

  /// Skips bytes that must be there, and returns the position of the first.
  private mutating func advance(by count: Int) throws(KeyringError) -> Int {
    guard unsafe count <= bytes.count - position else { throw KeyringError(.malformed) }
    defer { position += count }
    return position
  }

  /// Reads a length of at most 2^28 - 1, in its shortest form, and skips as many bytes.
  @unsafe private mutating func readCounted() throws(KeyringError) -> UnsafeRawBufferPointer {
    var count = 0
    for shift in stride(from: 0, to: 28, by: 7) {
      let byte = try readUInt8()
      count |= Int(byte & 0x7F) << shift
      guard byte & 0x80 == 0 else { continue }
      guard byte != 0 || shift == 0 else { break }
      let place = try advance(by: count)
      return unsafe UnsafeRawBufferPointer(rebasing: bytes[place..<place + count])
    }
    throw KeyringError(.malformed)
  }
}
