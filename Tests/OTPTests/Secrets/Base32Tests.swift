import OTP
import Testing

/// The vectors say what the two decoders accept and what the encoder writes; these, which error a refusal is and where,
/// and that every overload does the same.
@Suite struct Base32Tests {
  @Test(arguments: [("fo", "MZXQ===="), ("fooba", "MZXW6YTB")])
  func `every overload encodes and decodes`(plain: String, encoded: String) throws {
    let bytes = Array(plain.utf8)
    let text = String(encoded.prefix { $0 != "=" })
    #expect(try Base32.decode(encoded) == bytes && Base32.decode(encoded, strict: true) == bytes)
    #expect(try Base32.decode(utf8: Array(encoded.utf8).span, strict: true) == bytes)
    #expect(try Base32.decode(Substring(encoded)) == bytes)
    #expect(Base32.encode(bytes, padding: true) == encoded && Base32.encode(bytes.span, padding: true) == encoded)
    #expect(Base32.encode(bytes) == text && Base32.encode(bytes.span) == text)
    #expect(Base32.encode(bytes[...]) == text && Base32.encode(plain.utf8) == text)
    let secret = try OTPSecret(bytes: bytes)
    #expect(secret.base32String() == text && secret.base32String(padding: true) == encoded)
  }

  @Test func `an empty text decodes to no bytes`() throws {
    #expect(try Base32.decode("") == [] && Base32.decode("", strict: true) == [] && Base32.decode(" - ") == [])
    #expect(Base32.encode([] as [UInt8]) == "" && Base32.encode([] as [UInt8], padding: true) == "")
  }

  @Test(
    arguments: [
      ("A", .invalidBase32Length, .invalidBase32Length), ("AAA=====", .invalidBase32Length, .invalidBase32Length),
      ("AAAAAAAAAAAAAA", .invalidBase32Length, .invalidBase32Length),
      ("MZ=XW6YT", .invalidBase32Padding, .invalidBase32Padding), ("=", .invalidBase32Padding, .invalidBase32Padding),
      ("MY=======", .invalidBase32Padding, .invalidBase32Padding),
      ("MZXW6YTB========", .invalidBase32Padding, .invalidBase32Padding),
      ("MY==", .invalidBase32Padding, .invalidBase32Padding), ("MY", nil, .invalidBase32Padding),
      ("mzxw6ytb", nil, .invalidBase32Character), ("MZXW 6YTB", nil, .invalidBase32Character),
      ("M7======", nil, .nonZeroBase32TrailingBits), ("MZXW7===", nil, .nonZeroBase32TrailingBits),
    ] as [(String, OTPError.Code?, OTPError.Code?)])
  func `each decoder reports its own error`(text: String, lenient: OTPError.Code?, strict: OTPError.Code?) {
    #expect(failure { () throws(OTPError) in try Base32.decode(text) }?.code == lenient)
    #expect(failure { () throws(OTPError) in try Base32.decode(text, strict: true) }?.code == strict)
  }

  /// Eight symbols at a time are decoded at once, wherever no other character interrupts them.
  @Test(arguments: 0..<8) func `every byte is encoded and decoded at every position of eight`(place: Int) throws {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    for byte in UInt8.min ... .max where ![0x20, 0x2D, 0x3D].contains(byte) {
      var text = Array("BCDEFGHIAZ2Z27QQ".utf8)
      text[8 + place] = byte
      let upper = text.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
      let values = upper.compactMap(alphabet.firstIndex)
      guard values.count == 16 else {
        let error = failure { () throws(OTPError) in try Base32.decode(utf8: text.span) }
        #expect(error?.code == .invalidBase32Character && error?.position == 8 + place)
        continue
      }
      let bits = values[8...].reduce(0) { $0 << 5 | $1 }
      let decoded = try Base32.decode(utf8: text.span)
      #expect(decoded.suffix(5) == (0..<5).map { UInt8(truncatingIfNeeded: bits >> (32 - 8 * $0)) }[...])
      #expect((try? Base32.decode(utf8: text.span, strict: true)) == (text == upper ? decoded : nil))
    }
  }
}
