import Foundation
import OTP

/// Reads what ``ByteWriter`` wrote, in the same order. Whatever else it meets is `KeyringError` with `malformed`.
struct ByteReader {
  private let memory: SecretBytes
  private var position = 0

  /// A reader from the beginning.
  init(_ bytes: SecretBytes) { memory = bytes }

  /// Refuses bytes that nobody has read.
  func finish() throws(KeyringError) {
    guard position == memory.byteCount else { throw KeyringError(.malformed) }
  }

  /// Reads one byte.
  mutating func readUInt8() throws(KeyringError) -> UInt8 {
    guard position < memory.byteCount else { throw KeyringError(.malformed) }
    defer { position += 1 }
    return memory.withBytes { bytes in bytes[position] }
  }

  /// Reads one byte that is 1 or 0.
  mutating func readBool() throws(KeyringError) -> Bool {
    switch try readUInt8() {
    case 0: return false
    case 1: return true
    default: throw KeyringError(.malformed)
    }
  }

  /// Reads eight bytes.
  mutating func readUInt64() throws(KeyringError) -> UInt64 {
    var value: UInt64 = 0
    for _ in 0..<8 { value = value << 8 | UInt64(try readUInt8()) }
    return value
  }

  /// Reads eight bytes, as two's complement.
  mutating func readInt64() throws(KeyringError) -> Int64 { Int64(bitPattern: try readUInt64()) }

  /// Reads a time.
  mutating func readDate() throws(KeyringError) -> Date {
    Date(timeIntervalSince1970: TimeInterval(try readInt64()) / 1000)
  }

  /// Reads a text, which must be UTF-8.
  mutating func readString() throws(KeyringError) -> String {
    let range = try readRange()
    let text = memory.withBytes { bytes in
      unsafe bytes.extracting(range).withUnsafeBufferPointer { bytes in unsafe String(validating: bytes, as: UTF8.self)
      }
    }
    guard let text else { throw KeyringError(.malformed) }
    return text
  }

  /// Reads bytes that are no secret.
  mutating func readBytes() throws(KeyringError) -> [UInt8] { try readSecretBytes().copiedBytes() }

  /// Reads bytes into memory that is wiped.
  mutating func readSecretBytes() throws(KeyringError) -> SecretBytes {
    let range = try readRange()
    return memory.withBytes { bytes in SecretBytes(copying: bytes.extracting(range)) }
  }

  /// Reads whether there is a value, and the value.
  mutating func readOptional<Value>(
    _ read: (inout ByteReader) throws(KeyringError) -> Value
  ) throws(KeyringError) -> Value? {
    try readBool() ? try read(&self) : nil
  }

  /// Reads a length and steps over as many bytes.
  private mutating func readRange() throws(KeyringError) -> Range<Int> {
    let count = try readLength()
    guard count <= memory.byteCount - position else { throw KeyringError(.malformed) }
    defer { position += count }
    return position..<position + count
  }

  /// Reads a length of up to 2^28 - 1, as short as it can be written.
  private mutating func readLength() throws(KeyringError) -> Int {
    var length = 0
    for shift in stride(from: 0, to: 28, by: 7) {
      let byte = try readUInt8()
      length |= Int(byte & 0x7F) << shift
      if byte & 0x80 == 0 {
        guard byte != 0 || shift == 0 else { throw KeyringError(.malformed) }
        return length
      }
    }
    throw KeyringError(.malformed)
  }
}
