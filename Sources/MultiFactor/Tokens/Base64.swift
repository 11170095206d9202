internal import COTPKernels
import OTP

/// Base64 (RFC 4648), in one spelling each: without white space, and with left-over bits zero.
///
/// Timing: depends on the length of a text, not on its symbols, by which no table is looked up and no branch taken.
struct Base64: Sendable {
  private let symbol62: UInt8
  private let symbol63: UInt8
  private let hasPadding: Bool

  /// Section 4, with padding: how a keyring file holds its keys.
  static let standard = Base64(symbol62: UInt8(ascii: "+"), symbol63: UInt8(ascii: "/"), hasPadding: true)
  /// Section 5, without padding: how a token is written.
  static let url = Base64(symbol62: UInt8(ascii: "-"), symbol63: UInt8(ascii: "_"), hasPadding: false)

  /// How many characters so many bytes are written with.
  func encodedByteCount(of count: Int) -> Int { hasPadding ? (count + 2) / 3 * 4 : (count * 4 + 2) / 3 }

  /// Writes the text of `bytes` to `output`, which holds as many characters as it has.
  func encode(_ bytes: Span<UInt8>, to output: UnsafeMutableBufferPointer<UInt8>) {
    var written = 0
    var bits: Int32 = 0
    var bitCount: Int32 = 0
    for index in bytes.indices {
      bits = bits << 8 | Int32(bytes[index])
      bitCount += 8
      while bitCount >= 6 {
        bitCount -= 6
        unsafe output[written] = symbol(bits >> bitCount & 63)
        written += 1
      }
      bits &= 63
    }
    if bitCount > 0 {
      unsafe output[written] = symbol(bits << (6 - bitCount) & 63)
      written += 1
    }
    while written < output.count {
      unsafe output[written] = UInt8(ascii: "=")
      written += 1
    }
  }

  /// The bytes that a text spells; `nil` where it is not exactly what ``encode(_:to:)`` writes.
  func decode(_ text: Span<UInt8>) -> SecretBytes? {
    var count = text.count
    if hasPadding {
      guard count % 4 == 0 else { return nil }
      for _ in 0..<2 where count > 0 && text[count - 1] == UInt8(ascii: "=") { count -= 1 }
    }
    guard count % 4 != 1 else { return nil }
    let bytes = SecretBytes(capacity: count * 3 / 4)
    let output = unsafe bytes.mutableBytes
    var written = 0
    var faults: Int32 = 0
    var bits: Int32 = 0
    var bitCount: Int32 = 0
    for index in 0..<count {
      let value = value(of: Int32(text[index]))
      faults |= value
      bits = (bits << 6 | value & 63) & 0xFFFF
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        unsafe output[written] = UInt8(truncatingIfNeeded: bits >> bitCount)
        written += 1
      }
    }
    otp_wipe_registers()
    // What was refused is public from here on: a fault is negative, and so is a left-over bit.
    let leftOver = 0 &- (bits & (1 << bitCount &- 1))
    return (faults | leftOver) < 0 ? nil : bytes
  }

  /// All ones where a number lies in a range, else 0. Both are under 2^16.
  private func mask(_ value: Int32, _ range: ClosedRange<Int32>) -> Int32 {
    ((range.lowerBound &- 1 &- value) & (value &- range.upperBound &- 1)) >> 31
  }

  /// The symbol of six bits.
  private func symbol(_ value: Int32) -> UInt8 {
    let upper = mask(value, 0...25) & (value &+ 65)
    let lower = mask(value, 26...51) & (value &+ 71)
    let digit = mask(value, 52...61) & (value &- 4)
    let special = mask(value, 62...62) & Int32(symbol62) | mask(value, 63...63) & Int32(symbol63)
    return UInt8(truncatingIfNeeded: upper | lower | digit | special)
  }

  /// The six bits of a symbol; negative for what is none.
  private func value(of symbol: Int32) -> Int32 {
    let upper = mask(symbol, 65...90)
    let lower = mask(symbol, 97...122)
    let digit = mask(symbol, 48...57)
    let is62 = mask(symbol, Int32(symbol62)...Int32(symbol62))
    let is63 = mask(symbol, Int32(symbol63)...Int32(symbol63))
    let value = upper & (symbol &- 65) | lower & (symbol &- 71) | digit & (symbol &+ 4) | is62 & 62 | is63 & 63
    return value | ~(upper | lower | digit | is62 | is63)
  }
}
