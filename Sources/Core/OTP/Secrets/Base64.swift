internal import COTPSupport

/// The base64 encodings of RFC 4648, in canonical form only: no white space, and trailing bits zero. For the layers
/// above the engine, which write keys and tokens in it.
///
/// Timing: depends on the length of a text, not on its symbols.
package struct Base64: Sendable {
  private let symbol62: UInt8
  private let symbol63: UInt8
  private let hasPadding: Bool

  /// Section 4, with padding: for the keys in a keyring file.
  package static var standard: Base64 { Base64(symbol62: 0x2B, symbol63: 0x2F, hasPadding: true) }
  /// Section 5, without padding: for tokens.
  package static var url: Base64 { Base64(symbol62: 0x2D, symbol63: 0x5F, hasPadding: false) }

  /// The number of characters that `byteCount` bytes encode to.
  package func encodedByteCount(of byteCount: Int) -> Int {
    hasPadding ? (byteCount + 2) / 3 * 4 : (byteCount * 4 + 2) / 3
  }

  /// Writes the text of `bytes` into `output`, which holds `encodedByteCount(of:)` bytes.
  package func encode(_ bytes: Span<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>) {
    var written = 0
    var bits: UInt64 = 0
    var bitCount: UInt64 = 0
    for index in bytes.indices {
      bits = bits &<< 8 | UInt64(bytes[index])
      bitCount += 8
      while bitCount >= 6 {
        bitCount -= 6
        unsafe output[written] = symbol(bits &>> bitCount)
        written += 1
      }
    }
    if bitCount > 0 {
      unsafe output[written] = symbol(bits &<< (6 - bitCount))
      written += 1
    }
    while written < output.count {
      unsafe output[written] = 0x3D
      written += 1
    }
  }

  /// The bytes that a text spells; `nil` if it is not exactly what ``encode(_:into:)`` writes.
  package func decode(_ text: Span<UInt8>) -> SecretBytes? {
    var count = text.count
    if hasPadding {
      guard count % 4 == 0 else { return nil }
      // Public: a text's layout.
      for _ in 0..<2 where count > 0 && Mask.equal(text[count - 1], 0x3D).declassified { count -= 1 }
    }
    guard count % 4 != 1 else { return nil }
    let bytes = SecretBytes(capacity: count * 3 / 4)
    let output = unsafe bytes.mutableBytes
    defer { otp_wipe_registers() }
    var written = 0
    var others: UInt64 = 0
    var bits: UInt64 = 0
    var bitCount: UInt64 = 0
    for index in 0..<count {
      // All ones for a byte that is not a symbol.
      let value = number(of: text[index]) &- 1
      others |= value
      bits = bits &<< 6 | value
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        unsafe output[written] = UInt8(truncatingIfNeeded: bits &>> bitCount)
        written += 1
      }
    }
    let leftOver = bits & (1 &<< bitCount &- 1)
    // Public: whether a text is well formed.
    return Mask.equal(UInt32(truncatingIfNeeded: others >> 63 | leftOver), 0).declassified ? bytes : nil
  }

  /// The symbol of the low six bits.
  @inline(__always) private func symbol(_ bits: UInt64) -> UInt8 {
    let value = UInt32(truncatingIfNeeded: bits & 63)
    // The upper-case letters, from which each line steps to the symbols that follow.
    let lower = UInt64(value) &+ 65 &+ Mask.lessOrEqual(26, value).keep(6)
    let digit = lower &- Mask.lessOrEqual(52, value).keep(75)
    let special = digit &+ Mask.lessOrEqual(62, value).keep(UInt64(symbol62) &- 58)
    let last = Mask.equal(value, 63).keep(UInt64(symbol63) &- UInt64(symbol62) &- 1)
    return UInt8(truncatingIfNeeded: special &+ last)
  }

  /// One more than the six bits of a symbol; 0 if it is not one.
  @inline(__always) private func number(of symbol: UInt8) -> UInt64 {
    let letter = Mask.contains(0x61...0x7A, symbol | 0x20)
    let digit = Mask.contains(0x30...0x39, symbol)
    let byte = UInt64(symbol)
    // Bit 5 is set in a lower-case letter. These come after the 26 upper-case ones.
    let number = letter.keep((byte | 0x20) &- 0x60 &+ (byte &>> 5 & 1) &* 26) | digit.keep(byte &- 0x30 &+ 53)
    return number | Mask.equal(symbol, symbol62).keep(63) | Mask.equal(symbol, symbol63).keep(64)
  }
}
