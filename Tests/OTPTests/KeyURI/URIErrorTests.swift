import OTP
import Testing

/// Which error a refused URI is, and where it lies. That it is refused, and very many more with it, the vectors say.
@Suite struct URIErrorTests {
  @Test(arguments: [
    ("digits=6.0", OTPError.Code.invalidDigits, OTPError.Part.digits), ("digits", .invalidDigits, .digits),
    ("period=0", .invalidPeriod, .period), ("period=99999999999999999999", .invalidPeriod, .period),
    ("period=1%00", .invalidPeriod, .period), ("algorithm=MD5", .invalidAlgorithm, .algorithm),
    ("counter=-1", .invalidCounter, .counter), ("SECRET=", .duplicateParameter, .secret),
    ("issuer=&x=y&Issuer=I", .duplicateParameter, .issuer),
    ("algorithm=SHA1&algorithm=SHA256", .duplicateParameter, .algorithm),
    ("digits=6&digits=6", .duplicateParameter, .digits), ("period=30&PERIOD=30", .duplicateParameter, .period),
    ("counter=1&counter=1", .duplicateParameter, .counter), ("=x", .invalidParameterName, .parameter),
    ("issuer=%4", .invalidPercentEncoding, .issuer), ("x=%", .invalidPercentEncoding, .parameter),
    ("%=x", .invalidPercentEncoding, .parameter), ("digits=%", .invalidPercentEncoding, .digits),
    ("issuer=%80", .invalidUTF8, .issuer), ("x=%80", .invalidUTF8, .parameter), ("%80=x", .invalidUTF8, .parameter),
  ])
  func `an error in a parameter names the parameter`(parameter: String, code: OTPError.Code, part: OTPError.Part) {
    let error = failure { () throws(OTPError) in try OTPAuthURI("otpauth://totp/a?secret=MZXW6&\(parameter)") }
    #expect(error?.code == code && error?.part == part)
  }

  @Test(arguments: [
    ("otpauth://totp/a?secret=MZXW6#", OTPError.Code.unexpectedFragment, OTPError.Part.fragment),
    ("otpauth://user@totp/a?secret=MZXW6", .invalidAuthority, .authority),
    ("otpauth://totp:443/a?secret=MZXW6", .invalidAuthority, .authority),
    ("otpauth://steam/a?secret=MZXW6", .invalidType, .type), ("http://totp/a?secret=MZXW6", .invalidScheme, .scheme),
    ("", .invalidScheme, .scheme), ("otpauth://totp/a%zz?secret=MZXW6", .invalidPercentEncoding, .label),
    // As Firebase's SDK for iOS wrote it before version 12.1.0.
    ("otpauth://totp/I:a?secret=MZXW6&issuer=I&algorithm=%SHA1&digits=6", .invalidPercentEncoding, .algorithm),
    ("otpauth://totp/%C0%AF?secret=MZXW6", .invalidUTF8, .label),
    ("otpauth://totp/I:J:a?secret=MZXW6", .invalidAccount, .account),
    ("otpauth://totp/I:%20?secret=MZXW6", .invalidAccount, .account), ("otpauth://totp/a", .missingParameter, .secret),
    ("otpauth://hotp/a?secret=MZXW6", .missingParameter, .counter),
    ("otpauth://hotp/a?secret=MZXW6&counter=18446744073709551616", .invalidCounter, .counter),
    ("otpauth://hotp/a?secret=MZXW6&counter=0&period=0", .invalidPeriod, .period),
    ("otpauth://totp/a?secret", .emptySecret, .secret), ("otpauth://totp/a?secret=%20", .emptySecret, .secret),
    ("otpauth://totp/a?secret=MZXW6%", .invalidPercentEncoding, .secret),
    ("otpauth://totp/a?secret=A", .invalidBase32Length, .secret),
    ("otpauth://totp/a?secret=%FF%FF", .invalidBase32Character, .secret),
    ("otpauth://totp/a?secret=MZ=XW6", .invalidBase32Padding, .secret),
  ])
  func `an error elsewhere in a URI names the part`(text: String, code: OTPError.Code, part: OTPError.Part) {
    let error = failure { () throws(OTPError) in try OTPAuthURI(text) }
    #expect(error?.code == code && error?.part == part)
  }

  @Test func `a URI of over 2,048 bytes is a typed error`() throws {
    let start = "otpauth://totp/a?secret=MZXW6&x="
    let longest = start + String(repeating: "y", count: 2048 - start.utf8.count)
    #expect(try OTPAuthURI(longest).uriString() == longest)
    // Bytes count, not characters, also those that are not written back, and the length is checked first; the last one is
    // too long once percent-encoded.
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
