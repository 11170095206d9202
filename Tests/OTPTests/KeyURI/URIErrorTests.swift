import OTP
import Testing

@Suite struct URIErrorTests {
  @Test(arguments: [
    ("digits=6.0", OTPError.Code.invalidDigits, OTPError.Part.digits), ("digits=5", .invalidDigits, .digits),
    ("digits=9", .invalidDigits, .digits), ("digits=", .invalidDigits, .digits), ("digits", .invalidDigits, .digits),
    ("digits=-6", .invalidDigits, .digits), ("digits=+6", .invalidDigits, .digits),
    ("digits=６", .invalidDigits, .digits),
    ("digits=18446744073709551622", .invalidDigits, .digits), ("digits=0x6", .invalidDigits, .digits),
    ("digits=6%20", .invalidDigits, .digits), ("period=0", .invalidPeriod, .period),
    ("period=-30", .invalidPeriod, .period), ("period=30.5", .invalidPeriod, .period),
    ("period=", .invalidPeriod, .period), ("period=9223372036854775808", .invalidPeriod, .period),
    ("period=99999999999999999999", .invalidPeriod, .period), ("period=3e1", .invalidPeriod, .period),
    ("period=1%00", .invalidPeriod, .period), ("algorithm=", .invalidAlgorithm, .algorithm),
    ("algorithm=MD5", .invalidAlgorithm, .algorithm), ("algorithm=SHA384", .invalidAlgorithm, .algorithm),
  ])
  func `digits=6.0, period=0, period=-30, period=30.5: error`(
    parameter: String, code: OTPError.Code, part: OTPError.Part
  ) {
    let error = failure { () throws(OTPError) in try OTPAuthURI("otpauth://totp/a?secret=MZXW6&\(parameter)") }
    #expect(error?.code == code)
    #expect(error?.part == part)
  }

  @Test(arguments: ["-1", "18446744073709551616", "99999999999999999999999", "", "1.0", "+1", "0x1", "１", "1%00"])
  func `counter=-1, a counter above 2^64-1: error`(counter: String) {
    let error = failure { () throws(OTPError) in try OTPAuthURI("otpauth://hotp/a?secret=MZXW6&counter=\(counter)") }
    #expect(error?.code == .invalidCounter)
    #expect(error?.part == .counter)
  }

  @Test(arguments: [
    ("secret=MZXW6", "secret=MZXW6", OTPError.Part.secret), ("secret=MZXW6", "SECRET=", .secret),
    ("secret=MZXW6", "%73ecret=MZXW6", .secret), ("issuer=I", "issuer=I", .issuer), ("issuer=", "Issuer=I", .issuer),
    ("algorithm=SHA1", "algorithm=SHA256", .algorithm), ("digits=6", "digits=6", .digits),
    ("period=30", "PERIOD=30", .period),
  ])
  func `a known parameter twice: error`(first: String, second: String, part: OTPError.Part) {
    let secret = part == .secret ? "" : "secret=MZXW6&"
    let error = failure { () throws(OTPError) in try OTPAuthURI("otpauth://totp/a?\(secret)\(first)&x=y&\(second)") }
    #expect(error?.code == .duplicateParameter)
    #expect(error?.part == part)
  }

  @Test func `a counter twice: error`() {
    let text = "otpauth://hotp/a?secret=MZXW6&counter=1&counter=1"
    #expect(failure { () throws(OTPError) in try OTPAuthURI(text) }?.code == .duplicateParameter)
    #expect(failure { () throws(OTPError) in try OTPAuthURI(text) }?.part == .counter)
  }

  @Test(arguments: [
    ("otpauth://totp/a?secret=MZXW6#", OTPError.Code.unexpectedFragment, OTPError.Part.fragment),
    ("otpauth://totp/a#f?secret=MZXW6", .unexpectedFragment, .fragment),
    ("otpauth://user@totp/a?secret=MZXW6", .invalidAuthority, .authority),
    ("otpauth://user:password@totp/a?secret=MZXW6", .invalidAuthority, .authority),
    ("otpauth://totp:443/a?secret=MZXW6", .invalidAuthority, .authority),
    ("otpauth://totp:/a?secret=MZXW6", .invalidAuthority, .authority),
    ("otpauth://steam/a?secret=MZXW6", .invalidType, .type), ("otpauth:///a?secret=MZXW6", .invalidType, .type),
    ("otpauth://%74otp/a?secret=MZXW6", .invalidType, .type), ("http://totp/a?secret=MZXW6", .invalidScheme, .scheme),
    ("otpauth:totp/a?secret=MZXW6", .invalidScheme, .scheme), ("otpauth:/totp/a?secret=MZXW6", .invalidScheme, .scheme),
    (" otpauth://totp/a?secret=MZXW6", .invalidScheme, .scheme), ("", .invalidScheme, .scheme),
    ("otpauth", .invalidScheme, .scheme), ("otpauth-migration://offline?data=x", .invalidScheme, .scheme),
    ("otpauth://totp/a%?secret=MZXW6", .invalidPercentEncoding, .label),
    ("otpauth://totp/a%2?secret=MZXW6", .invalidPercentEncoding, .label),
    ("otpauth://totp/a%zz?secret=MZXW6", .invalidPercentEncoding, .label),
    ("otpauth://totp/a?secret=MZXW6%", .invalidPercentEncoding, .secret),
    ("otpauth://totp/a?secret=MZXW6&issuer=%4", .invalidPercentEncoding, .issuer),
    ("otpauth://totp/a?secret=MZXW6&issuer=%G0", .invalidPercentEncoding, .issuer),
    ("otpauth://totp/a?secret=MZXW6&x=%", .invalidPercentEncoding, .parameter),
    ("otpauth://totp/a?secret=MZXW6&%=x", .invalidPercentEncoding, .parameter),
    ("otpauth://totp/a?secret=MZXW6&digits=%", .invalidPercentEncoding, .digits),
    // As Firebase's SDK for iOS wrote it before version 12.1.0.
    ("otpauth://totp/I:a?secret=MZXW6&issuer=I&algorithm=%SHA1&digits=6", .invalidPercentEncoding, .algorithm),
    ("otpauth://totp/%FF?secret=MZXW6", .invalidUTF8, .label),
    ("otpauth://totp/%C3?secret=MZXW6", .invalidUTF8, .label),
    ("otpauth://totp/%C0%AF?secret=MZXW6", .invalidUTF8, .label),
    ("otpauth://totp/%ED%A0%80?secret=MZXW6", .invalidUTF8, .label),
    ("otpauth://totp/%F4%90%80%80?secret=MZXW6", .invalidUTF8, .label),
    ("otpauth://totp/a?secret=MZXW6&issuer=%80", .invalidUTF8, .issuer),
    ("otpauth://totp/a?secret=MZXW6&x=%80", .invalidUTF8, .parameter),
    ("otpauth://totp/a?secret=MZXW6&%80=x", .invalidUTF8, .parameter),
    ("otpauth://totp/a", .missingParameter, .secret), ("otpauth://totp/a?", .missingParameter, .secret),
    ("otpauth://totp/a?issuer=I", .missingParameter, .secret), ("otpauth://totp/a?secret", .emptySecret, .secret),
    ("otpauth://totp/a?secret=", .emptySecret, .secret), ("otpauth://totp/a?secret=%20", .emptySecret, .secret),
    ("otpauth://totp/a?secret=A", .invalidBase32Length, .secret),
    ("otpauth://totp/a?secret=MZXW1", .invalidBase32Character, .secret),
    ("otpauth://totp/a?secret=MZ=XW6", .invalidBase32Padding, .secret),
    ("otpauth://totp/a?secret=%FF%FF", .invalidBase32Character, .secret),
    ("otpauth://totp/a?secret=MZXW6&=x", .invalidParameterName, .parameter),
  ])
  func `fragment, user info, port, bad % escape, bad UTF-8, secret missing or empty: typed error`(
    text: String, code: OTPError.Code, part: OTPError.Part
  ) {
    let error = failure { () throws(OTPError) in try OTPAuthURI(text) }
    #expect(error?.code == code)
    #expect(error?.part == part)
  }

  @Test func `over 2,048 bytes: typed error`() throws {
    let start = "otpauth://totp/a?secret=MZXW6&x="
    let longest = start + String(repeating: "y", count: 2048 - start.utf8.count)
    #expect(try OTPAuthURI(longest).uriString() == longest)
    #expect(failure { () throws(OTPError) in try OTPAuthURI(longest + "y") }?.code == .uriTooLong)
    // Bytes count, not characters, and the length is checked first.
    let characters = String(repeating: "é", count: 1100)
    #expect(failure { () throws(OTPError) in try OTPAuthURI(characters) }?.code == .uriTooLong)
    let megabyte = longest + String(repeating: "y", count: 1 << 20)
    #expect(failure { () throws(OTPError) in try OTPAuthURI(megabyte) }?.code == .uriTooLong)
  }

  @Test func `a URI that would be too long once percent-encoded is an error, so that every value can be written`() {
    let text = "otpauth://totp/" + String(repeating: "é", count: 600) + "?secret=MZXW6"
    #expect(text.utf8.count < 2048)
    #expect(failure { () throws(OTPError) in try OTPAuthURI(text) }?.code == .uriTooLong)
  }

  @Test func `control characters: typed error, with their position`() {
    for byte in Array(UInt8(0)..<0x20) + [0x7F] {
      let text = Array("otpauth://totp/a".utf8) + [byte] + Array("?secret=MZXW6".utf8)
      let error = failure { () throws(OTPError) in try OTPAuthURI(utf8: text.span) }
      #expect(error?.code == .invalidCharacter)
      #expect(error?.position == 16)
    }
  }

  @Test func `bytes that are not UTF-8: typed error`() {
    for place in ["otpauth://totp/a", "otpauth://totp/a?secret=MZXW6&issuer=", "otpauth://totp/a?secret=MZXW6&x="] {
      for bytes in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0x80]] as [[UInt8]] {
        let query: [UInt8] = place.contains("?") ? [] : Array("?secret=MZXW6".utf8)
        let text = Array(place.utf8) + bytes + query
        #expect(failure { () throws(OTPError) in try OTPAuthURI(utf8: text.span) }?.code == .invalidUTF8)
      }
    }
  }
}
