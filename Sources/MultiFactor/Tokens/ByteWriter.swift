import Foundation
import OTP

/// Writes values one after the other, compactly, into memory that is wiped.
///
/// Numbers are big-endian; what has a length comes after it, so that no two sequences of values of the same types have
/// the same bytes. ``ByteReader`` reads them again, in the same order.
struct ByteWriter: ~Copyable {
  private var memory: SecretBytes
  private(set) var byteCount = 0

  /// A writer that takes so many bytes before it has to move them.
  init(capacity: Int = 256) { memory = SecretBytes(capacity: max(capacity, 16)) }

  /// What was written. The rest of the memory stays with it.
  consuming func finish() -> SecretBytes {
    memory.shrink(to: byteCount)
    return memory
  }

  /// Writes one byte.
  mutating func append(_ value: UInt8) {
    reserve(1)
    unsafe memory.mutableBytes[byteCount] = value
    byteCount += 1
  }

  /// Writes one byte, 1 or 0.
  mutating func append(_ value: Bool) { append(UInt8(value ? 1 : 0)) }

  /// Writes eight bytes.
  mutating func append(_ value: UInt64) {
    for shift in stride(from: UInt64(56), through: 0, by: -8) { append(UInt8(truncatingIfNeeded: value >> shift)) }
  }

  /// Writes eight bytes, as two's complement.
  mutating func append(_ value: Int64) { append(UInt64(bitPattern: value)) }

  /// Writes a time as milliseconds since 1970: the nearest that `Int64` has, and the earliest for what is no number.
  mutating func append(_ value: Date) {
    let milliseconds = (value.timeIntervalSince1970 * 1000).rounded()
    // 2^63, exactly.
    let limit = 0x1p63
    if milliseconds >= limit {
      append(Int64.max)
    } else {
      append(milliseconds > -limit ? Int64(milliseconds) : Int64.min)
    }
  }

  /// Writes a text's length and its UTF-8.
  mutating func append(_ value: String) {
    var value = value
    value.withUTF8 { utf8 in unsafe append(buffer: utf8) }
  }

  /// Writes a length and bytes.
  mutating func append(_ value: [UInt8]) {
    unsafe value.withUnsafeBufferPointer { bytes in unsafe append(buffer: bytes) }
  }

  /// Writes a length and bytes.
  mutating func append(_ value: Span<UInt8>) {
    unsafe value.withUnsafeBufferPointer { bytes in unsafe append(buffer: bytes) }
  }

  /// Writes a length and bytes.
  mutating func append(_ value: SecretBytes) { value.withBytes { bytes in append(bytes) } }

  /// Writes whether there is a value, and the value.
  mutating func append<Value>(_ value: Value?, with write: (inout ByteWriter, Value) -> Void) {
    append(value != nil)
    if let value { write(&self, value) }
  }

  /// Writes a length: seven bits a byte, the lowest first, the top bit set where more follow.
  mutating func append(length: Int) {
    var rest = UInt64(clamping: length)
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  private mutating func append(buffer: UnsafeBufferPointer<UInt8>) {
    append(length: buffer.count)
    reserve(buffer.count)
    let place = unsafe memory.mutableBytes[byteCount...]
    _ = unsafe UnsafeMutableBufferPointer(rebasing: place).update(fromContentsOf: buffer)
    byteCount += buffer.count
  }

  private mutating func reserve(_ count: Int) {
    guard byteCount + count > memory.byteCount else { return }
    let larger = SecretBytes(capacity: max(2 * memory.byteCount, byteCount + count))
    _ = unsafe larger.mutableBytes.update(
      fromContentsOf: UnsafeBufferPointer(rebasing: memory.mutableBytes[..<byteCount]))
    memory = larger
  }
}
