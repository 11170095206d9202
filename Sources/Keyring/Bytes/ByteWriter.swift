import OTP

/// Writes values one after another, compactly, into memory that is wiped.
///
/// Numbers are big-endian, and values of variable length follow their length, so that no two sequences of values of the
/// same types have the same bytes. ``ByteReader`` reads them back in the same order.
@usableFromInline @safe package struct ByteWriter: ~Copyable {
  private var memory: SecretBytes
  /// All of the memory.
  private var bytes: UnsafeMutableBufferPointer<UInt8>
  /// How many bytes were written.
  package private(set) var byteCount = 0

  /// A writer with room for this many bytes before it must move them.
  package init(capacity: Int = 256) {
    memory = SecretBytes(capacity: max(capacity, 16))
    unsafe bytes = memory.mutableBytes
  }

  /// What was written. The unused memory remains part of it.
  package consuming func finish() -> SecretBytes {
    memory.shrink(to: byteCount)
    return memory
  }

  /// Lends what was written so far.
  func withBytes<R>(_ body: (Span<UInt8>) throws(KeyringError) -> R) throws(KeyringError) -> R {
    try memory.withBytes { (bytes) throws(KeyringError) in try body(bytes.extracting(0..<byteCount)) }
  }

  /// Writes one byte.
  package mutating func append(_ value: UInt8) {
    unsafe reserve(1)[0] = value
  }

  /// Writes one byte, 1 or 0.
  @usableFromInline package mutating func append(_ value: Bool) { append(UInt8(value ? 1 : 0)) }

  /// Writes eight bytes.
  package mutating func append(_ value: UInt64) {
    unsafe UnsafeMutableRawBufferPointer(reserve(8)).storeBytes(of: value.bigEndian, as: UInt64.self)
  }

  /// Writes eight bytes, as two's complement.
  package mutating func append(_ value: Int64) { append(UInt64(bitPattern: value)) }

  /// Writes a text's length and its UTF-8.
  package mutating func append(_ value: String) {
    var value = value
    value.withUTF8 { utf8 in unsafe append(counted: utf8) }
  }

  /// Writes a length and bytes.
  package mutating func append(_ value: [UInt8]) {
    unsafe value.withUnsafeBufferPointer { bytes in unsafe append(counted: bytes) }
  }

  /// Writes a length and bytes.
  package mutating func append(_ value: Span<UInt8>) {
    unsafe value.withUnsafeBufferPointer { bytes in unsafe append(counted: bytes) }
  }

  /// Writes a length and bytes.
  package mutating func append(_ value: SecretBytes) { value.withBytes { bytes in append(bytes) } }

  /// Writes whether there is a value, and the value. Inlinable, since the type of an optional is costly to look up.
  @inlinable package mutating func append<Value>(_ value: Value?, with write: (inout ByteWriter, Value) -> Void) {
    append(value != nil)
    if let value { write(&self, value) }
  }

  /// Writes a length, seven bits per byte, lowest first, with the top bit set if more follow.
  package mutating func append(length: Int) {
    var rest = UInt64(clamping: length)
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  private mutating func append(counted bytes: UnsafeBufferPointer<UInt8>) {
    append(length: bytes.count)
    _ = unsafe reserve(bytes.count).update(fromContentsOf: bytes)
  }

  /// Adds bytes to what was written, and lends them to be filled.
  @unsafe mutating func reserve(_ count: Int) -> UnsafeMutableBufferPointer<UInt8> {
    let end = byteCount + count
    if unsafe end > bytes.count {
      let larger = unsafe SecretBytes(capacity: max(2 * bytes.count, end))
      _ = unsafe larger.mutableBytes.update(fromContentsOf: UnsafeBufferPointer(rebasing: bytes[..<byteCount]))
      memory = larger
      unsafe bytes = larger.mutableBytes
    }
    defer { byteCount = end }
    return unsafe bytes.extracting(byteCount..<end)
  }
}
