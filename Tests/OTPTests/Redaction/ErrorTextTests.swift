import OTP
import Testing

@Suite struct ErrorTextTests {
  /// Text that occurs nowhere in the engine, put where the input is wrong.
  private static let marker = "QXZ7marked"

  private static let uris: [(text: String, part: String)] = [
    ("\(marker)://totp/a?secret=MZXW6", "scheme"), ("otpauth://\(marker)/a?secret=MZXW6", "type"),
    ("otpauth://\(marker)@totp/a?secret=MZXW6", "authority"), ("otpauth://totp:\(marker)/a?secret=MZXW6", "authority"),
    ("otpauth://totp/\(marker)%?secret=MZXW6", "label"), ("otpauth://totp/%FF\(marker)?secret=MZXW6", "label"),
    ("otpauth://totp/\(marker):?secret=MZXW6", "account"), ("otpauth://totp/x:\(marker):?secret=MZXW6", "account"),
    ("otpauth://totp/a?secret=\(marker)1", "secret"), ("otpauth://totp/a?period=30&secret=\(marker)8", "secret"),
    ("otpauth://totp/a?secret=\(marker)%", "secret"), ("otpauth://totp/a?secret=\(marker)=A", "secret"),
    ("otpauth://totp/a?secret=MZXW6&secret=\(marker)", "secret"),
    ("otpauth://totp/a?secret=MZXW6&issuer=\(marker)%zz", "issuer"),
    ("otpauth://totp/a?secret=MZXW6&algorithm=\(marker)", "algorithm"),
    ("otpauth://totp/a?secret=MZXW6&digits=\(marker)", "digits"),
    ("otpauth://totp/a?secret=MZXW6&period=\(marker)", "period"),
    ("otpauth://hotp/a?secret=MZXW6&counter=\(marker)", "counter"),
    ("otpauth://totp/a?secret=MZXW6&\(marker)%=x", "parameter"),
    ("otpauth://totp/a?secret=MZXW6&x=\(marker)%FF", "parameter"),
    ("otpauth://totp/a?secret=MZXW6#\(marker)", "fragment"), ("otpauth://totp/a?x=\(marker)", "secret"),
  ]

  @Test(arguments: uris)
  func `an error's text names the part, never its value or the secret`(text: String, part: String) throws {
    let error = try #require(failure { () throws(OTPError) in try OTPAuthURI(text) })
    #expect(error.part?.name == part)
    #expect(error.description.hasPrefix(part + ": "))
    check(error)
  }

  @Test func `no other error repeats its input`() throws {
    let marker = ErrorTextTests.marker
    let secret = try OTPSecret.rfc
    let long = String(repeating: marker, count: 500)
    let errors = [
      failure { () throws(OTPError) in try Base32.decode(marker + "1") },
      failure { () throws(OTPError) in try Base32.decode(marker + "=", strict: true) },
      failure { () throws(OTPError) in try OTPSecret(base32: marker + "=A") },
      failure { () throws(OTPError) in try SubmittedCode(marker) },
      failure { () throws(OTPError) in try HashAlgorithm(name: marker) },
      failure { () throws(OTPError) in try OTPAuthURI(long) },
      failure { () throws(OTPError) in try OTPAuthURI("\u{1}" + marker) },
      failure { () throws(OTPError) in try OTPAuthURI(.totp(), secret: secret, issuer: marker + ":", account: "a") },
      failure { () throws(OTPError) in try OTPAuthURI(.totp(), secret: secret, account: marker + ":") },
      failure { () throws(OTPError) in try OTPAuthURI(.totp(), secret: secret, account: long) },
    ]
    for error in errors { check(try #require(error)) }
  }

  @Test(arguments: [-987_654_321, 987_654_321])
  func `no error repeats a number`(number: Int) throws {
    let code = try SubmittedCode("123456")
    let hotp = try HOTP(secret: .rfc)
    let totp = try TOTP(secret: .rfc, t0: .max)
    let errors = [
      failure { () throws(OTPError) in try OTPCode.Digits(count: number) },
      failure { () throws(OTPError) in try VerificationWindow.adjacent(number) },
      failure { () throws(OTPError) in try hotp.verify(code, counter: 0, lookAhead: number) },
      failure { () throws(OTPError) in try totp.code(at: Int64(number)) },
    ]
    for error in errors { check(try #require(error), hides: "98765432") }
  }

  @Test func `a position is a byte of the text, and is absent for a part of a URI`() throws {
    let error = try #require(failure { () throws(OTPError) in try Base32.decode("MZXW0") })
    #expect(error.position == 4)
    #expect(error.description == "not a base32 character at byte 4")
    let part = try #require(failure { () throws(OTPError) in try OTPAuthURI("otpauth://totp/a?secret=MZXW0") })
    #expect(part.position == nil)
    #expect(part.description == "secret: not a base32 character")
  }

  private func check(_ error: OTPError, hides input: String = "qxz7") {
    for text in Exposure.texts(of: error) + Exposure.texts(of: error as any Error) + [error.localizedText] {
      #expect(!text.lowercased().contains(input))
    }
  }
}

extension OTPError {
  /// The text that a generic error handler would show.
  fileprivate var localizedText: String { "\(self as any Error)" + code.message }
}
