/// Percent-encoding (RFC 3986, section 2.1).
enum PercentEncoding {
  /// Decodes a part of a URI and passes each byte to `output`.
  ///
  /// Timing: depends on which bytes are escapes, not on the values of the others.
  ///
  /// - Parameter plusIsSpace: Reads `+` as a space, as HTML forms write it.
  static func decode(
    _ text: Span<UInt8>, plusIsSpace: Bool, _ output: (UInt8) -> Void
  ) throws(OTPError) {
    var index = 0
    while index < text.count {
      let byte = text[index]
      // Public: a text's layout.
      if Mask.equal(byte, 0x25).declassified {  // %
        guard index + 2 < text.count, let high = text[index + 1].hexadecimalValue,
          let low = text[index + 2].hexadecimalValue
        else { throw OTPError(.invalidPercentEncoding) }
        output(high << 4 | low)
        index += 3
      } else {
        let isSpace = Mask.equal(byte, 0x2B) & Mask(plusIsSpace)
        output(UInt8(truncatingIfNeeded: isSpace.select(0x20, else: UInt64(byte))))
        index += 1
      }
    }
  }

  /// Decodes a part of a URI.
  static func decodeBytes(_ text: Span<UInt8>, plusIsSpace: Bool = false) throws(OTPError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    try decode(text, plusIsSpace: plusIsSpace) { bytes.append($0) }
    return bytes
  }

  /// Decodes a part of a URI that must be UTF-8.
  static func decodeText(_ text: Span<UInt8>, plusIsSpace: Bool = false) throws(OTPError) -> String {
    let bytes = try decodeBytes(text, plusIsSpace: plusIsSpace)
    guard let text = String(validUTF8: bytes.span) else { throw OTPError(.invalidUTF8) }
    return text
  }

  /// Decodes a part of a URI into memory that is wiped.
  static func decodeSecret(_ text: Span<UInt8>, plusIsSpace: Bool) throws(OTPError) -> SecretBytes {
    let bytes = SecretBytes(capacity: text.count)
    var count = 0
    try decode(text, plusIsSpace: plusIsSpace) { byte in
      unsafe bytes.mutableBytes[count] = byte
      count += 1
    }
    bytes.shrink(to: count)
    return bytes
  }

  /// Whether a byte needs no escape in any part of a URI: RFC 3986's unreserved characters.
  static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x2D, 0x2E, 0x5F, 0x7E: true
    default: false
    }
  }
}
