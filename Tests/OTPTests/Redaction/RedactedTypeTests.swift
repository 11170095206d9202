import OTP
import Testing

/// No public type shows a secret in `description`, `dump`, `Mirror`, `String(reflecting:)`, a log line or an error.
@Suite struct RedactedTypeTests {
  private static let bytes = Array("MarkedSecretQ7!".utf8)
  private static let base32 = Base32.encode(bytes)

  private static var secretSpellings: [String] {
    // The first bytes too: a part of a secret is a secret.
    Exposure.spellings(of: bytes) + Exposure.spellings(of: Array(bytes.prefix(6))) + [
      base32, String(base32.prefix(10)),
    ]
  }

  private func check(_ value: Any, hides spellings: [String], _ texts: [String]) {
    for text in texts {
      for spelling in spellings {
        #expect(!text.contains(spelling), "\(type(of: value)) shows \(spelling)")
      }
    }
  }

  @Test func `no type that holds a secret shows it`() throws {
    let secret = try OTPSecret(bytes: RedactedTypeTests.bytes)
    var values: [Any] = [secret, Optional(secret) as Any]
    for implementation in implementations {
      let key = try HMACKey(secret, algorithm: implementation.algorithm, backend: implementation.backend)
      let totp = TOTP(key: key, timeStep: try TimeStep())
      values += [key, HOTP(key: key), totp]
      values.append(VerificationBatch.Request(try SubmittedCode("123456"), totp: totp, at: 59, after: nil))
    }
    let uri = try OTPAuthURI(.totp(), secret: secret, issuer: "I", account: "a", digits: .eight)
    values += [uri, uri.secret, try OTPAuthURI(uri.uriString())]
    for value in values {
      check(value, hides: RedactedTypeTests.secretSpellings, Exposure.texts(of: value))
    }
  }

  @Test func `the search finds an unredacted secret`() {
    struct Careless { let held: [UInt8] }
    for value in [Careless(held: RedactedTypeTests.bytes), RedactedTypeTests.bytes, RedactedTypeTests.base32] as [Any] {
      let found = Exposure.texts(of: value).contains { text in
        RedactedTypeTests.secretSpellings.contains { text.contains($0) }
      }
      #expect(found)
    }
  }

  @Test func `a redacted value still names its type`() throws {
    let secret = try OTPSecret(bytes: RedactedTypeTests.bytes)
    #expect(secret.description == "OTPSecret(redacted)")
    #expect(String(reflecting: secret) == "OTPSecret(redacted)")
    #expect(try HMACKey(secret, algorithm: .sha1).description == "HMACKey(redacted)")
    #expect(try SubmittedCode("123456").description == "SubmittedCode(redacted)")
    let uri = try OTPAuthURI(.totp(), secret: secret, issuer: "I", account: "a", digits: .eight)
    #expect(uri.description == "otpauth://totp/I:a?secret=…&issuer=I&digits=8")
    #expect(uri.debugDescription == uri.description)
  }

  @Test func `an unknown parameter is not shown, since it may be a secret`() throws {
    let uri = try OTPAuthURI("otpauth://totp/a?secret=MZXW6&pin=MarkedSecretQ7&flag")
    #expect(uri.description == "otpauth://totp/a?secret=…&pin=…&flag")
    check(uri, hides: ["MarkedSecretQ7"], Exposure.texts(of: uri))
    check(uri.additionalParameters, hides: ["MarkedSecretQ7"], Exposure.texts(of: uri.additionalParameters))
    #expect(Mirror(reflecting: uri).children.isEmpty)
  }

  @Test func `a submitted code is never shown`() throws {
    for (text, digits) in [("481516", OTPCode.Digits.six), ("04815162", .eight)] {
      let code = try SubmittedCode(text, digits: digits)
      check(code, hides: [text, "4815162", "481516", "4_815"], Exposure.texts(of: code))
      let totp = try TOTP(secret: .rfc, digits: digits)
      let request = VerificationBatch.Request(code, totp: totp, at: 59, after: nil)
      check(request, hides: [text, "4815162", "481516", "4_815"], Exposure.texts(of: request))
    }
  }

  @Test func `a code is shown only by its own description`() throws {
    // 1726969429, of which `number` keeps the last digits.
    let code = try HOTP(secret: .rfc, digits: .eight).code(counter: 3)
    #expect(code.description == "26969429")
    #expect("\(code)" == "26969429")
    check(code, hides: ["26969429", "969429"], Exposure.textsButDescription(of: code))
    #expect(String(reflecting: code) == "OTPCode(redacted)")
  }

  @Test func `mirrors of secrets, keys and codes have no children`() throws {
    let secret = try OTPSecret(bytes: RedactedTypeTests.bytes)
    let hotp = try HOTP(secret: secret)
    let values: [Any] = [secret, hotp.key, try hotp.code(counter: 0), try SubmittedCode("123456")]
    for value in values { #expect(Mirror(reflecting: value).children.isEmpty) }
  }
}
