import OTP
import Testing

@Suite struct URIBuildingTests {
  @Test(arguments: ["I:J", ":", "I：J:"]) func `building refuses a colon in the issuer`(text: String) throws {
    let secret = try OTPSecret.rfc
    let error = failure { () throws(OTPError) in try OTPAuthURI(.totp(), secret: secret, issuer: text, account: "a") }
    #expect(error?.code == .invalidIssuer && error?.part == .issuer)
  }

  /// Every reader would drop a space before the account.
  @Test(arguments: ["", "   ", "I:J", ":", " a", " \u{301}"])
  func `building refuses an account that is empty, begins with a space or has a colon`(account: String) throws {
    let secret = try OTPSecret.rfc
    let error = failure { () throws(OTPError) in try OTPAuthURI(.totp(), secret: secret, account: account) }
    #expect(error?.code == .invalidAccount && error?.part == .account)
  }

  @Test func `building leaves out parameters with default values unless all are requested`() throws {
    let secret = try OTPSecret(base32: "mzxw6===")
    let plain = try OTPAuthURI(.totp(), secret: secret, issuer: "I", account: "a")
    #expect(
      try plain.uriString(writingDefaults: true)
        == "otpauth://totp/I:a?secret=MZXW6&issuer=I&algorithm=SHA1&digits=6&period=30")
    #expect(try plain.uriString(writingDefaults: false) == plain.uriString())
    let hotp = try OTPAuthURI(.hotp(counter: 0), secret: secret, account: "a")
    #expect(
      try hotp.uriString(writingDefaults: true)
        == "otpauth://hotp/a?secret=MZXW6&algorithm=SHA1&digits=6&counter=0")
  }

  @Test func `building writes the issuer as prefix and parameter, and omits an empty one`() throws {
    let uri = try OTPAuthURI(.totp(), secret: .rfc, issuer: "I", account: "a")
    #expect(uri.issuer == "I" && uri.labelIssuer == "I" && uri.issuerParameter == "I")
    let none = try OTPAuthURI(.totp(), secret: .rfc, issuer: "", account: "a")
    #expect(none.issuer == nil && none.labelIssuer == nil && none.issuerParameter == nil)
    #expect(try none == OTPAuthURI(.totp(), secret: .rfc, account: "a"))
  }

  @Test(arguments: [
    ("", OTPAuthURI.Kind.totp()), ("secret", .totp()), ("Issuer", .totp()), ("ALGORITHM", .totp()), ("digits", .totp()),
    ("period", .totp()), ("counter", .hotp(counter: 0)),
  ])
  func `building refuses a further parameter with the name of a known one`(
    name: String, kind: OTPAuthURI.Kind
  ) throws {
    let secret = try OTPSecret.rfc
    let error = failure { () throws(OTPError) in
      try OTPAuthURI(kind, secret: secret, account: "a", additionalParameters: [.init(name: name, value: "x")])
    }
    #expect(error?.code == .invalidParameterName)
    #expect(error?.part == .parameter)
  }

  @Test func `building accepts 2,048 bytes and refuses more`() throws {
    let secret = try OTPSecret(bytes: [UInt8](repeating: 1, count: 20))
    let longest = 2048 - "otpauth://totp/?secret=".utf8.count - 32
    let uri = try OTPAuthURI(.totp(), secret: secret, account: String(repeating: "a", count: longest))
    #expect(uri.uriString().utf8.count == OTPAuthURI.maximumByteCount)
    #expect(try OTPAuthURI(uri.uriString()) == uri)
    #expect(failure { () throws(OTPError) in try uri.uriString(writingDefaults: true) }?.code == .uriTooLong)
    let account = String(repeating: "a", count: longest + 1)
    let error = failure { () throws(OTPError) in try OTPAuthURI(.totp(), secret: secret, account: account) }
    #expect(error?.code == .uriTooLong)
    let long = try OTPSecret(bytes: [UInt8](repeating: 1, count: 2000))
    #expect(failure { () throws(OTPError) in try OTPAuthURI(.totp(), secret: long, account: "a") }?.code == .uriTooLong)
  }

  @Test func `URIs are equal when their bytes are, not when their texts look alike`() throws {
    let composed = try OTPAuthURI(.totp(), secret: .rfc, account: "é")
    let decomposed = try OTPAuthURI(.totp(), secret: .rfc, account: "e\u{301}")
    #expect(composed != decomposed)
    #expect(try composed != OTPAuthURI(.totp(), secret: .rfc, issuer: "I", account: "é"))
    #expect(try composed != OTPAuthURI(.hotp(counter: 30), secret: .rfc, account: "é"))
    #expect(try composed != OTPAuthURI(.totp(), secret: OTPSecret(bytes: [1]), account: "é"))
    #expect(try composed != OTPAuthURI(.totp(), secret: .rfc, account: "é", algorithm: .sha256))
    #expect(try composed != OTPAuthURI(.totp(), secret: .rfc, account: "é", digits: .seven))
  }

  @Test func `URIs are equal when their further parameters are: names, values and order`() throws {
    func uri(_ parameters: [(String, String?)]) throws -> OTPAuthURI {
      try OTPAuthURI(
        .totp(), secret: .rfc, account: "a",
        additionalParameters: parameters.map { OTPAuthURI.Parameter(name: $0.0, value: $0.1) })
    }
    let parameters: [(String, String?)] = [("image", "x"), ("color", "é")]
    #expect(try uri(parameters) == uri(parameters))
    #expect(try uri(parameters) != uri(parameters.reversed()))
    #expect(try uri(parameters) != uri([("image", "x"), ("color", "e\u{301}")]))
    #expect(try uri(parameters) != uri([("image", "x"), ("colour", "é")]))
    #expect(try uri([("flag", nil)]) != uri([("flag", "")]))
  }
}
