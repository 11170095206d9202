import OTP
import Testing

@Suite struct URIParsingTests {
  @Test func `a URI with every parameter is read in full`() throws {
    let uri = try OTPAuthURI(
      "otpauth://totp/ACME%20Co:john.doe@email.com?secret=HXDMVJECJJWSRB3HWIZR4IFUGFTMXBOZ&issuer=ACME%20Co"
        + "&algorithm=SHA256&digits=8&period=60")
    #expect(uri.kind == .totp(period: 60))
    #expect(uri.secret.base32String() == "HXDMVJECJJWSRB3HWIZR4IFUGFTMXBOZ")
    #expect(uri.account == "john.doe@email.com")
    #expect(uri.issuer == "ACME Co" && uri.labelIssuer == "ACME Co" && uri.issuerParameter == "ACME Co")
    #expect(uri.algorithm == .sha256)
    #expect(uri.digits == .eight)
    #expect(uri.additionalParameters.isEmpty)
  }

  @Test func `a key URI's defaults are SHA-1, 6 digits and 30 seconds`() throws {
    let uri = try OTPAuthURI("otpauth://totp/a?secret=MZXW6")
    #expect(uri.kind == .totp(period: 30) && uri.algorithm == .sha1 && uri.digits == .six)
  }

  @Test(arguments: [
    "OTPAUTH://TOTP/a?SECRET=MZXW6&ISSUER=I&ALGORITHM=sha512&DIGITS=7&PERIOD=45",
    "OtpAuth://tOtP/a?Secret=mzxw6&Issuer=I&Algorithm=Sha512&Digits=7&Period=45",
    "otpauth://totp/a?%73ecret=MZXW6&i%73suer=I&algorith%6D=SHA512&%64igits=7&perio%64=45",
  ])
  func `scheme, type and parameter names are accepted in any case`(text: String) throws {
    let expected = try OTPAuthURI("otpauth://totp/a?secret=MZXW6&issuer=I&algorithm=SHA512&digits=7&period=45")
    #expect(try OTPAuthURI(text) == expected)
    #expect(try OTPAuthURI(utf8: Array(text.utf8).span) == expected)
    #expect(try OTPAuthURI(Substring(text)) == expected)
  }

  @Test func `an escaped colon before a literal one belongs to the issuer, and is written back`() throws {
    let text = "otpauth://totp/I%3AJ:a?secret=MZXW6"
    let uri = try OTPAuthURI(text)
    #expect(uri.labelIssuer == "I:J")
    #expect(uri.account == "a")
    #expect(uri.uriString() == text)
  }

  @Test func `a valid parameter of the other type is ignored and written back`() throws {
    let text = "otpauth://totp/a?secret=MZXW6&counter=7"
    let uri = try OTPAuthURI(text)
    #expect(uri.kind == .totp(period: 30))
    #expect(uri.additionalParameters == [.init(name: "counter", value: "7")])
    #expect(uri.uriString() == text)
  }

  @Test func `if the issuer parameter differs from the label's, both are kept`() throws {
    let uri = try OTPAuthURI("otpauth://totp/Label:a?secret=MZXW6&issuer=Parameter")
    #expect(uri.issuer == "Parameter")
    #expect(uri.issuerParameter == "Parameter")
    #expect(uri.labelIssuer == "Label")
    #expect(try OTPAuthURI(uri.uriString()) == uri)
    #expect(uri.uriString() == "otpauth://totp/Label:a?secret=MZXW6&issuer=Parameter")
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
    let text =
      "otpauth://totp/a?image=https%3A%2F%2Fx.example%2Fy.png&secret=MZXW6&color=%23ff0000&&image=&flag&counter=7"
    let uri = try OTPAuthURI(text)
    let expected: [OTPAuthURI.Parameter] = [
      .init(name: "image", value: "https://x.example/y.png"), .init(name: "color", value: "#ff0000"),
      .init(name: "image", value: ""), .init(name: "flag", value: nil), .init(name: "counter", value: "7"),
    ]
    #expect(uri.additionalParameters == expected)
    #expect(
      uri.uriString()
        == "otpauth://totp/a?secret=MZXW6&image=https%3A%2F%2Fx.example%2Fy.png&color=%23ff0000&image=&flag&counter=7")
    #expect(try OTPAuthURI(uri.uriString()) == uri)
  }

  @Test func `an hotp URI without a counter is read as 0 by an option only`() throws {
    let text = "otpauth://hotp/a?secret=MZXW6"
    #expect(try OTPAuthURI(text, options: .missingCounterIsZero).kind == .hotp(counter: 0))
    #expect(try OTPAuthURI(text + "&counter=9", options: .missingCounterIsZero).kind == .hotp(counter: 9))
    // A missing counter is not the same as an empty one.
    let empty = failure { () throws(OTPError) in try OTPAuthURI(text + "&counter=", options: .missingCounterIsZero) }
    #expect(empty?.code == .invalidCounter)
  }

  @Test(arguments: [0, 1, 9_007_199_254_740_993, UInt64(Int64.max) + 1, .max] as [UInt64])
  func `every counter of 64 bits is read exactly`(counter: UInt64) throws {
    #expect(try OTPAuthURI("otpauth://hotp/a?secret=MZXW6&counter=\(counter)").kind == .hotp(counter: counter))
  }

  @Test func `strict base32 accepts only a padded secret`() throws {
    let plain = "otpauth://totp/a?secret=MZXW6"
    #expect(failure { () throws(OTPError) in try OTPAuthURI(plain, options: .strictBase32) }?.part == .secret)
    #expect(try OTPAuthURI(plain + "===", options: .strictBase32) == OTPAuthURI(plain))
    #expect(try OTPAuthURI(plain + "%3D%3D%3D", options: .strictBase32) == OTPAuthURI(plain))
  }
}
