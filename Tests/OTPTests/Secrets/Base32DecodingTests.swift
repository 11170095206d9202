import OTP
import Testing

@Suite struct Base32DecodingTests {
  /// RFC 4648, section 10.
  static let examples = [
    ("", ""), ("f", "MY======"), ("fo", "MZXQ===="), ("foo", "MZXW6==="), ("foob", "MZXW6YQ="), ("fooba", "MZXW6YTB"),
    ("foobar", "MZXW6YTBOI======"),
  ]

  @Test(arguments: examples) func `RFC 4648 section 10`(plain: String, encoded: String) throws {
    #expect(try Base32.decode(encoded) == Array(plain.utf8))
    #expect(try Base32.decode(encoded, strict: true) == Array(plain.utf8))
    #expect(try Base32.decode(utf8: Array(encoded.utf8).span, strict: true) == Array(plain.utf8))
    #expect(try Base32.decode(Substring(encoded)) == Array(plain.utf8))
  }

  @Test(arguments: [
    "mzxw6ytboi", "MzXw6yTbOi", "MZXW 6YTB OI", "mzxw-6ytb-oi", " MZXW6YTBOI ", "M Z X W 6 Y T B O I", "-MZXW6YTBOI-",
    "MZXW6YTBOI======", "mzxw 6ytb oi== ====", "MZXW  --  6YTBOI", "MZXW6YTBOI=-=-=-=-=-=",
  ])
  func `lower case, spaces, hyphens between groups, with or without padding: accepted by the default decoder only`(
    text: String
  ) throws {
    #expect(try Base32.decode(text) == Array("foobar".utf8))
    let isStrict = text == "MZXW6YTBOI======"
    #expect((failure { () throws(OTPError) in try Base32.decode(text, strict: true) } == nil) == isStrict)
  }

  @Test(arguments: [1, 3, 6, 9, 11, 14, 17, 19, 22, 1001])
  func `length 1, 3 or 6 mod 8 after padding is removed: error`(length: Int) {
    let text = String(repeating: "A", count: length)
    let padding = String(repeating: "=", count: (8 - length % 8) % 8)
    for isStrict in [false, true] {
      for text in [text, text + padding] {
        #expect(
          failure { () throws(OTPError) in try Base32.decode(text, strict: isStrict) }?.code == .invalidBase32Length)
      }
    }
  }

  @Test(arguments: ["MZ=XW6YT", "MZXW6===MZXW6===", "=MZXW6YTB", "MY======MY======", "M=Y=====", "MZXW6=Y="])
  func `padding in the middle: error`(text: String) {
    for isStrict in [false, true] {
      #expect(
        failure { () throws(OTPError) in try Base32.decode(text, strict: isStrict) }?.code == .invalidBase32Padding)
    }
  }

  @Test(arguments: [
    "MY=======", "MY==============", "MZXW6YTB=", "MZXW6YTB========", "========", "=", "MZXW6====", "MZXQ=====",
    "MZXW6YQ==",
  ])
  func `too much padding: error`(text: String) {
    for isStrict in [false, true] {
      #expect(
        failure { () throws(OTPError) in try Base32.decode(text, strict: isStrict) }?.code == .invalidBase32Padding)
    }
  }

  @Test(arguments: ["MY=", "MY==", "MY=====", "MZXQ=", "MZXQ===", "MZXW6=", "MZXW6==", "MZXW6YTBOI====="])
  func `some padding, but too little: error`(text: String) {
    for isStrict in [false, true] {
      #expect(
        failure { () throws(OTPError) in try Base32.decode(text, strict: isStrict) }?.code == .invalidBase32Padding)
    }
  }

  @Test(arguments: ["MY", "MZXQ", "MZXW6", "MZXW6YQ"]) func `no padding: refused only by strict`(text: String) {
    #expect(failure { () throws(OTPError) in try Base32.decode(text) } == nil)
    #expect(failure { () throws(OTPError) in try Base32.decode(text, strict: true) }?.code == .invalidBase32Padding)
  }

  @Test(arguments: [("M7", "M7======", "M4"), ("MZXR", "MZXR====", "MZXQ"), ("MZXW7", "MZXW7===", "MZXW6")])
  func `non-zero trailing bits: accepted by default, refused by strict; never silently another key`(
    text: String, padded: String, canonical: String
  ) throws {
    #expect(try Base32.decode(text) == Base32.decode(canonical))
    #expect(try Base32.decode(padded) == Base32.decode(canonical))
    #expect(
      failure { () throws(OTPError) in try Base32.decode(padded, strict: true) }?.code == .nonZeroBase32TrailingBits)
    #expect(try Base32.encode(Base32.decode(text)) == canonical)
  }

  @Test(arguments: ["0", "1", "8", "9"])
  func `0, 1 and 8: error; never mapped`(digit: String) {
    for place in 0..<8 {
      var text = Array("ABCDEFGH")
      text[place] = Character(digit)
      for isStrict in [false, true] {
        let error = failure { () throws(OTPError) in try Base32.decode(String(text), strict: isStrict) }
        #expect(error?.code == .invalidBase32Character)
        #expect(error?.position == place)
      }
    }
  }

  @Test func `every byte outside the alphabet that the default decoder does not skip is an error`() {
    let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    let lower = Set("abcdefghijklmnopqrstuvwxyz".utf8)
    for byte in UInt8.min...UInt8.max where byte != 0x3D {
      let isSymbol = alphabet.contains(byte)
      let isDefault = isSymbol || lower.contains(byte)
      let text = Array("ABCDEFG".utf8) + [byte]
      let inserted = Array("ABCDEFG".utf8) + [byte] + Array("H".utf8)
      #expect((failure { () throws(OTPError) in try Base32.decode(utf8: text.span, strict: true) } == nil) == isSymbol)
      guard byte == 0x20 || byte == 0x2D else {
        #expect((failure { () throws(OTPError) in try Base32.decode(utf8: text.span) } == nil) == isDefault)
        continue
      }
      #expect(failure { () throws(OTPError) in try Base32.decode(utf8: inserted.span) } == nil)
      #expect(failure { () throws(OTPError) in try Base32.decode(utf8: inserted.span, strict: true) } != nil)
    }
  }

  @Test func `empty: the codec decodes it to no bytes`() throws {
    #expect(try Base32.decode("") == [])
    #expect(try Base32.decode("", strict: true) == [])
    #expect(try Base32.decode(" - ") == [])
    #expect(Base32.encode([] as [UInt8]) == "")
    #expect(Base32.encode([] as [UInt8], padding: true) == "")
  }
}
