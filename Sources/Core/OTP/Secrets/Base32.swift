internal import COTPSupport

/// The base32 encoding of RFC 4648, section 6, in which secrets are shown to people and written into URIs.
public enum Base32 {
  /// Decodes a text.
  ///
  /// By default the decoder accepts what issuers and people write: upper or lower case, ASCII spaces and hyphens
  /// between symbols, padding or none, and trailing bits that are not zero. The digits `0`, `1` and `8` are never read
  /// as letters.
  ///
  /// - Parameters:
  ///   - text: The text. An empty text decodes to no bytes.
  ///   - strict: Accepts only what RFC 4648 allows: upper case, full padding, no separators, trailing bits zero.
  /// - Throws: `OTPError` with code `invalidBase32Character`, `invalidBase32Length`, `invalidBase32Padding`, or, if
  ///   strict, `nonZeroBase32TrailingBits`.
  ///
  /// Timing: depends on the text's length and on where its separators and padding are, not on its symbols.
  @inlinable public static func decode(_ text: some StringProtocol, strict: Bool = false) throws(OTPError) -> [UInt8] {
    try withUTF8(of: text) { (text) throws(OTPError) in try decode(utf8: text, strict: strict) }
  }

  /// Decodes a text given as bytes. See ``decode(_:strict:)``.
  public static func decode(utf8 text: Span<UInt8>, strict: Bool = false) throws(OTPError) -> [UInt8] {
    defer { otp_wipe_registers() }
    var failure: OTPError?
    let capacity = Base32Decoder.maximumByteCount(ofTextLength: text.count)
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
      do throws(OTPError) {
        count = try unsafe Base32Decoder.decode(text, strict: strict, into: output)
      } catch {
        // A text that is refused near its end leaves nothing behind.
        unsafe otp_wipe(output.baseAddress, output.count)
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Encodes bytes in upper case.
  ///
  /// - Parameters:
  ///   - bytes: The bytes. No bytes encode to an empty text.
  ///   - padding: Whether to pad the text with `=` to a multiple of 8 characters. Key URIs have no padding.
  ///
  /// Timing: depends only on the number of bytes.
  public static func encode(_ bytes: Span<UInt8>, padding: Bool = false) -> String {
    let count = encodedByteCount(of: bytes.count, padding: padding)
    return unsafe String(unsafeUninitializedCapacity: count) { output in
      let written = unsafe encode(bytes, padding: padding, into: output)
      // Public: the text that the caller asked for.
      unsafe declassify(output)
      return written
    }
  }

  /// Encodes bytes in upper case. See ``encode(_:padding:)-(Span<UInt8>,_)``.
  @inlinable public static func encode(_ bytes: some Collection<UInt8>, padding: Bool = false) -> String {
    withSpan(of: bytes) { bytes in encode(bytes, padding: padding) }
  }
}

extension Base32 {
  /// Decodes into memory that is wiped.
  package static func decodeSecret(_ text: Span<UInt8>, strict: Bool) throws(OTPError) -> SecretBytes {
    let bytes = SecretBytes(capacity: Base32Decoder.maximumByteCount(ofTextLength: text.count))
    defer { otp_wipe_registers() }
    let count = try unsafe Base32Decoder.decode(text, strict: strict, into: bytes.mutableBytes)
    bytes.shrink(to: count)
    return bytes
  }

  /// The number of characters that `byteCount` bytes encode to.
  package static func encodedByteCount(of byteCount: Int, padding: Bool) -> Int {
    padding ? (byteCount + 4) / 5 * 8 : (byteCount * 8 + 4) / 5
  }

  /// Writes the text of `bytes` into `output`, which holds `encodedByteCount(of:padding:)` bytes, and returns its
  /// length.
  package static func encode(_ bytes: Span<UInt8>, padding: Bool, into output: UnsafeMutableBufferPointer<UInt8>) -> Int
  {
    var written = 0
    let groupedCount = bytes.count / 5 * 5
    for index in stride(from: 0, to: groupedCount, by: 5) {
      unsafe Base32Group(bytes: bytes, at: index).writeCharacters(to: output, at: written)
      written += 8
    }
    var bits: UInt64 = 0
    var bitCount = 0
    for index in groupedCount..<bytes.count {
      bits = bits &<< 8 | UInt64(bytes[index])
      bitCount += 8
      while bitCount >= 5 {
        bitCount -= 5
        unsafe output[written] = symbol(bits &>> UInt64(bitCount))
        written += 1
      }
    }
    if bitCount > 0 {
      unsafe output[written] = symbol(bits &<< UInt64(5 - bitCount))
      written += 1
    }
    while padding && written % 8 != 0 {
      unsafe output[written] = 0x3D
      written += 1
    }
    return written
  }

  /// The symbol of the low five bits: `A`...`Z`, then `2`...`7`.
  private static func symbol(_ bits: UInt64) -> UInt8 {
    let value = UInt8(truncatingIfNeeded: bits & 31)
    let letter = Mask.contains(0...25, value)
    return UInt8(truncatingIfNeeded: letter.select(0x41 &+ UInt64(value), else: 0x32 &+ UInt64(value) &- 26))
  }
}
