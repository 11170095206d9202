import OTP
import Testing

/// Which error a refused URI is, where it lies, and that its text repeats nothing of the URI. That a URI is refused,
/// and very many more with it, the vectors say.
@Suite struct URIErrorTests {
  /// `QXZ7` occurs nowhere in the engine; it is put where the input is wrong.
  @Test(arguments: [
    ("QXZ7://totp/a?secret=MZXW6", OTPError.Code.invalidScheme, OTPError.Part.scheme), ("", .invalidScheme, .scheme),
    ("otpauth://QXZ7/a?secret=MZXW6", .invalidType, .type),
    ("otpauth://QXZ7@totp/a?secret=MZXW6", .invalidAuthority, .authority),
    ("otpauth://totp:QXZ7/a?secret=MZXW6", .invalidAuthority, .authority),
    ("otpauth://totp/a?secret=MZXW6#QXZ7", .unexpectedFragment, .fragment),
    ("otpauth://totp/QXZ7%zz?secret=MZXW6", .invalidPercentEncoding, .label),
    ("otpauth://totp/%C0%AFQXZ7?secret=MZXW6", .invalidUTF8, .label),
    ("otpauth://totp/I:QXZ7:a?secret=MZXW6", .invalidAccount, .account),
    ("otpauth://totp/QXZ7:%20?secret=MZXW6", .invalidAccount, .account),
    ("otpauth://totp/QXZ7", .missingParameter, .secret), ("otpauth://hotp/QXZ7?secret=A7", .missingParameter, .counter),
    ("otpauth://totp/QXZ7?secret", .emptySecret, .secret), ("otpauth://totp/a?secret=%20", .emptySecret, .secret),
    ("otpauth://totp/a?secret=QXZ7%", .invalidPercentEncoding, .secret),
    ("otpauth://totp/a?secret=A", .invalidBase32Length, .secret),
    ("otpauth://totp/a?secret=QXZ7%FF", .invalidBase32Character, .secret),
    ("otpauth://totp/a?period=30&secret=QXZ78", .invalidBase32Character, .secret),
    ("otpauth://totp/a?secret=QX=Z7", .invalidBase32Padding, .secret),
    ("otpauth://totp/a?secret=MZXW6&SECRET=QXZ7", .duplicateParameter, .secret),
    ("otpauth://totp/a?secret=MZXW6&digits=QXZ7", .invalidDigits, .digits),
    ("otpauth://totp/a?secret=MZXW6&digits", .invalidDigits, .digits),
    ("otpauth://totp/a?secret=MZXW6&period=QXZ7", .invalidPeriod, .period),
    ("otpauth://totp/a?secret=MZXW6&period=99999999999999999999", .invalidPeriod, .period),
    ("otpauth://hotp/a?secret=MZXW6&counter=0&period=0", .invalidPeriod, .period),
    ("otpauth://totp/a?secret=MZXW6&algorithm=QXZ7", .invalidAlgorithm, .algorithm),
    ("otpauth://hotp/a?secret=MZXW6&counter=QXZ7", .invalidCounter, .counter),
    ("otpauth://hotp/a?secret=MZXW6&counter=18446744073709551616", .invalidCounter, .counter),
    ("otpauth://totp/a?secret=MZXW6&issuer=&QXZ7=y&Issuer=I", .duplicateParameter, .issuer),
    ("otpauth://totp/a?secret=MZXW6&algorithm=SHA1&algorithm=SHA256", .duplicateParameter, .algorithm),
    ("otpauth://totp/a?secret=MZXW6&digits=6&digits=6", .duplicateParameter, .digits),
    ("otpauth://totp/a?secret=MZXW6&period=30&PERIOD=30", .duplicateParameter, .period),
    ("otpauth://totp/a?secret=MZXW6&counter=1&counter=1", .duplicateParameter, .counter),
    ("otpauth://totp/a?secret=MZXW6&=QXZ7", .invalidParameterName, .parameter),
    ("otpauth://totp/a?secret=MZXW6&issuer=QXZ7%4", .invalidPercentEncoding, .issuer),
    ("otpauth://totp/a?secret=MZXW6&QXZ7=%", .invalidPercentEncoding, .parameter),
    ("otpauth://totp/a?secret=MZXW6&QXZ7%=x", .invalidPercentEncoding, .parameter),
    ("otpauth://totp/a?secret=MZXW6&digits=%", .invalidPercentEncoding, .digits),
    ("otpauth://totp/a?secret=MZXW6&issuer=QXZ7%80", .invalidUTF8, .issuer),
    ("otpauth://totp/a?secret=MZXW6&QXZ7=%80", .invalidUTF8, .parameter),
    ("otpauth://totp/a?secret=MZXW6&%80=QXZ7", .invalidUTF8, .parameter),
    // As Firebase's SDK for iOS wrote it before version 12.1.0.
    ("otpauth://totp/I:a?secret=MZXW6&issuer=I&algorithm=%SHA1&digits=6", .invalidPercentEncoding, .algorithm),
  ])
  func `an error names the part, never its value or the secret`(
    uri: String, code: OTPError.Code, part: OTPError.Part
  ) throws {
    let error = try #require(failure { () throws(OTPError) in try OTPAuthURI(uri) })
    #expect(error.code == code && error.part == part && error.position == nil)
    #expect(error.description.hasPrefix(part.name + ": "))
    checkTexts(of: error, hide: "qxz7")
  }

  @Test func `a URI of over 2,048 bytes is a typed error`() throws {
    let start = "otpauth://totp/a?secret=MZXW6&x="
    let longest = start + String(repeating: "y", count: 2048 - start.utf8.count)
    #expect(try OTPAuthURI(longest).uriString() == longest)
    // Bytes count, not characters, also those that are not written back, and the length is checked first; the last one
    // is too long once percent-encoded.
    for text in [
      longest + "&", String(repeating: "é", count: 1100), longest + String(repeating: "y", count: 1 << 20),
      "otpauth://totp/" + String(repeating: "é", count: 600) + "?secret=MZXW6",
    ] {
      #expect(failure { () throws(OTPError) in try OTPAuthURI(text) }?.code == .uriTooLong)
    }
  }

  @Test func `a control character is a typed error with its position`() {
    for byte in Array(UInt8(0)..<0x20) + [0x7F] {
      let text = Array("otpauth://totp/a".utf8) + [byte] + Array("?secret=MZXW6".utf8)
      let error = failure { () throws(OTPError) in try OTPAuthURI(utf8: text.span) }
      #expect(error?.code == .invalidCharacter && error?.position == 16)
    }
  }

  @Test func `bytes that are not UTF-8 are a typed error`() {
    for place in ["otpauth://totp/a", "otpauth://totp/a?secret=MZXW6&issuer=", "otpauth://totp/a?secret=MZXW6&x="] {
      for bytes in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0x80]] as [[UInt8]] {
        let query: [UInt8] = place.contains("?") ? [] : Array("?secret=MZXW6".utf8)
        let text = Array(place.utf8) + bytes + query
        #expect(failure { () throws(OTPError) in try OTPAuthURI(utf8: text.span) }?.code == .invalidUTF8)
      }
    }
  }
}
