import OTP
import Testing

/// What the vectors do not say: the options of reading, and every type of text.
@Suite struct URIParsingTests {
  @Test func `a URI has its label's issuer and the parameter's, whatever type of text it is read from`() throws {
    let text = "OtpAuth://tOtP/Label:a?Secret=mzxw6&issuer=Parameter&algorith%6D=Sha512&Digits=7&period=45"
    let uri = try OTPAuthURI(text)
    #expect(uri.issuer == "Parameter" && uri.issuerParameter == "Parameter" && uri.labelIssuer == "Label")
    #expect(uri.account == "a" && uri.kind == .totp(period: 45) && uri.algorithm == .sha512 && uri.digits == .seven)
    #expect(uri.secret.base32String() == "MZXW6" && uri.additionalParameters.isEmpty)
    #expect(try OTPAuthURI(utf8: Array(text.utf8).span) == uri)
    #expect(try OTPAuthURI(Substring(text)) == uri)
  }

  @Test func `a + in a query value is literal by default, and a space by an option`() throws {
    let text = "otpauth://totp/L+M:a+b?secret=MZXW+6&issuer=ACME+Co&image=a+b%2Bc"
    #expect(failure { () throws(OTPError) in try OTPAuthURI(text) }?.part == .secret)
    let literal = try OTPAuthURI(text.split(separator: "+6").joined(separator: "6"))
    #expect(literal.issuer == "ACME+Co")
    #expect(literal.additionalParameters == [OTPAuthURI.Parameter(name: "image", value: "a+b+c")])
    let form = try OTPAuthURI(text, options: .plusIsSpace)
    #expect(form.issuer == "ACME Co")
    #expect(form.additionalParameters == [OTPAuthURI.Parameter(name: "image", value: "a b+c")])
    // The label is not form-encoded.
    #expect(form.labelIssuer == "L+M" && form.account == "a+b")
    #expect(form.secret == literal.secret)
  }

  @Test func `unknown parameters are kept in order and written back`() throws {
    let text = "otpauth://totp/a?image=https%3A%2F%2Fx.example%2F&secret=MZXW6&%C3%A9%3D=%23ff&&image=&flag&counter=7"
    let uri = try OTPAuthURI(text)
    let expected: [OTPAuthURI.Parameter] = [
      .init(name: "image", value: "https://x.example/"), .init(name: "é=", value: "#ff"),
      .init(name: "image", value: ""), .init(name: "flag", value: nil), .init(name: "counter", value: "7"),
    ]
    #expect(uri.additionalParameters == expected)
    let written = "otpauth://totp/a?secret=MZXW6&image=https%3A%2F%2Fx.example%2F&%C3%A9%3D=%23ff&image=&flag&counter=7"
    #expect(uri.uriString() == written)
    #expect(try OTPAuthURI(written) == uri && OTPAuthURI(written, options: .plusIsSpace) == uri)
  }

  @Test func `an hotp URI without a counter is read as 0 by an option only`() throws {
    let text = "otpauth://hotp/a?secret=MZXW6"
    #expect(try OTPAuthURI(text, options: .missingCounterIsZero).kind == .hotp(counter: 0))
    #expect(try OTPAuthURI(text + "&counter=9", options: .missingCounterIsZero).kind == .hotp(counter: 9))
    // A missing counter is not the same as an empty one.
    let empty = failure { () throws(OTPError) in try OTPAuthURI(text + "&counter=", options: .missingCounterIsZero) }
    #expect(empty?.code == .invalidCounter)
  }

  @Test func `strict base32 accepts only a padded secret`() throws {
    let plain = "otpauth://totp/a?secret=MZXW6"
    #expect(failure { () throws(OTPError) in try OTPAuthURI(plain, options: .strictBase32) }?.part == .secret)
    #expect(try OTPAuthURI(plain + "===", options: .strictBase32) == OTPAuthURI(plain))
    #expect(try OTPAuthURI(plain + "%3D%3D%3D", options: .strictBase32) == OTPAuthURI(plain))
  }
}
