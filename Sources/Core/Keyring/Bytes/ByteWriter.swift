import OTP

/// Writes values one after another, compactly, into memory that is wiped.
///
/// Numbers are big-endian, and values of variable length follow their length, so that no two sequences of values of the
/// same types have the same bytes. ``ByteReader`` reads them back in the same order.
@usableFromInline @safe package struct ByteWriter: ~Copyable {
  /// Its own memory; `nil` while borrowed memory is enough.
  private var memory: SecretBytes?
  /// All of the memory.
  private var bytes: UnsafeMutableBufferPointer<UInt8>
  /// How many bytes were written.
  package private(set) var byteCount = 0

  /// A writer with room for this many bytes before it must move them.
  package init(capacity: Int = 256) {
    let memory = SecretBytes(capacity: max(capacity, 16))
    self.memory = memory
    unsafe bytes = memory.mutableBytes
  }

  /// A writer into memory that outlives it, and is left for the writer's own when it is full. The caller wipes what is
  /// secret.
  @unsafe init(borrowing bytes: UnsafeMutableBufferPointer<UInt8>) { unsafe self.bytes = bytes }

  /// What was written. The unused memory remains part of it.
  package consuming func finish() -> SecretBytes {
    guard let memory else { return withBytes { bytes in SecretBytes(copying: bytes) } }
    memory.shrink(to: byteCount)
    return memory
  }

  /// Lends what was written so far.
  func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
    defer { withExtendedLifetime(memory) {} }
    return try body(unsafe UnsafeBufferPointer(rebasing: bytes[..<byteCount]).span)
  }

  /// Writes one byte.
  package mutating func append(_ value: UInt8) {
    unsafe reserve(1)[0] = value
  }

  /// Writes bytes without their length.
  package mutating func append(raw bytes: Span<UInt8>) { unsafe reserve(bytes.count).copy(bytes) }

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
    value.withUTF8 { utf8 in unsafe append(utf8.span) }
  }

  /// Writes a length and bytes.
  package mutating func append(_ value: [UInt8]) { append(value.span) }

  /// Writes a length and bytes.
  package mutating func append(_ value: Span<UInt8>) {
    append(length: value.count)
    append(raw: value)
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

  /// Adds bytes to what was written, and lends them to be filled.
  @unsafe @inline(__always) mutating func reserve(_ count: Int) -> UnsafeMutableBufferPointer<UInt8> {
    let end = byteCount + count
    if unsafe end > bytes.count { makeRoom(end) }
    defer { byteCount = end }
    return unsafe bytes.extracting(byteCount..<end)
  }

  /// Moves what was written into memory of its own for at least this many bytes.
  private mutating func makeRoom(_ count: Int) {
    let larger = unsafe SecretBytes(capacity: max(2 * bytes.count, count))
    withBytes { written in unsafe larger.mutableBytes.copy(written) }
    memory = larger
    unsafe bytes = larger.mutableBytes
  }
}
