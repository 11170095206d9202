import OTP
import Testing

@Suite struct ErrorTextTests {
  @Test func `no error repeats its input`() throws {
    let marker = "QXZ7marked"
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
    for error in errors { checkTexts(of: try #require(error), hide: "qxz7") }
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
    for error in errors { checkTexts(of: try #require(error), hide: "98765432") }
  }

  @Test func `each code has its own one-line message`() {
    let messages = OTPError.Code.allCases.map(\.message)
    #expect(Set(messages).count == messages.count)
    #expect(messages.allSatisfy { !$0.isEmpty && !$0.contains { $0.isNewline } })
  }

  @Test func `errors are equal when their codes are, and a position is a byte of the text`() throws {
    let plain = try #require(failure { () throws(OTPError) in try Base32.decode("0") })
    let elsewhere = try #require(failure { () throws(OTPError) in try Base32.decode("MZXW0") })
    let part = try #require(failure { () throws(OTPError) in try OTPAuthURI("otpauth://totp/a?secret=0") })
    let other = try #require(failure { () throws(OTPError) in try Base32.decode("A") })
    #expect(plain == elsewhere && plain == part && plain != other)
    #expect(Set([plain, elsewhere, part, other]).count == 2)
    #expect(elsewhere.position == 4 && elsewhere.description == "not a base32 character at byte 4")
    #expect(part.description == "secret: not a base32 character")
  }
}

/// Expects that no text of an error contains what was put into the input.
func checkTexts(of error: OTPError, hide input: String) {
  let handled = "\(error as any Error)" + error.code.message
  for text in Exposure.texts(of: error) + Exposure.texts(of: error as any Error) + [handled] {
    #expect(!text.lowercased().contains(input))
  }
}
