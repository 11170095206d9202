import OTP
import Testing

/// Other tests check when each code is thrown; these check that no code is missing.
@Suite struct ErrorCodeTests {
  private static let codes: [OTPError.Code] = [
    .emptySecret, .invalidBase32Character, .invalidBase32Length, .invalidBase32Padding, .nonZeroBase32TrailingBits,
    .invalidAlgorithm, .invalidDigits, .invalidPeriod, .invalidCounter, .invalidWindow, .invalidLookAhead,
    .timeBeforeT0, .malformedCode, .mismatchedDigits, .uriTooLong, .invalidScheme, .invalidType, .invalidAuthority,
    .unexpectedFragment, .invalidCharacter, .invalidPercentEncoding, .invalidUTF8, .invalidIssuer, .invalidAccount,
    .missingParameter, .duplicateParameter, .invalidParameterName,
  ]

  /// Reached when the process or its library is broken (BrokenLibraryTests, RandomSecretTests), or by a `Date`.
  private static let surroundings: [OTPError.Code] = [
    .invalidTime, .randomnessUnavailable, .backendUnavailable, .cryptographyFailed,
  ]

  @Test func `each error code is reachable`() throws {
    let secret = try OTPSecret.rfc
    let hotp = try HOTP(secret: secret)
    let seven = try SubmittedCode("1234567", digits: .seven)
    let six = try SubmittedCode("123456")
    let early = try TimeStep(t0: 1)
    func uri(_ text: String) -> OTPError? { failure { () throws(OTPError) in try OTPAuthURI(text) } }
    let errors = [
      failure { () throws(OTPError) in try OTPSecret(base32: "") },
      failure { () throws(OTPError) in try Base32.decode("0") },
      failure { () throws(OTPError) in try Base32.decode("A") },
      failure { () throws(OTPError) in try Base32.decode("=") },
      failure { () throws(OTPError) in try Base32.decode("M7======", strict: true) },
      failure { () throws(OTPError) in try HashAlgorithm(name: "MD5") },
      failure { () throws(OTPError) in try OTPCode.Digits(count: 9) },
      failure { () throws(OTPError) in try TimeStep(period: 0) },
      uri("otpauth://hotp/a?secret=MZXW6&counter=x"),
      failure { () throws(OTPError) in try VerificationWindow.adjacent(11) },
      failure { () throws(OTPError) in try hotp.verify(six, counter: 0, lookAhead: 1001) },
      failure { () throws(OTPError) in try early.number(at: 0) },
      failure { () throws(OTPError) in try SubmittedCode("x") },
      failure { () throws(OTPError) in try hotp.verify(seven, counter: 0) },
      uri(String(repeating: "x", count: 2049)), uri("http://totp/a"), uri("otpauth://steam/a?secret=MZXW6"),
      uri("otpauth://u@totp/a?secret=MZXW6"), uri("otpauth://totp/a?secret=MZXW6#f"), uri("otpauth://totp/\n"),
      uri("otpauth://totp/%?secret=MZXW6"), uri("otpauth://totp/%FF?secret=MZXW6"),
      failure { () throws(OTPError) in try OTPAuthURI(.totp(), secret: secret, issuer: ":", account: "a") },
      uri("otpauth://totp/?secret=MZXW6"), uri("otpauth://totp/a"), uri("otpauth://totp/a?secret=MZXW6&secret=MZXW6"),
      uri("otpauth://totp/a?secret=MZXW6&=x"),
    ]
    #expect(errors.map(\.?.code) == ErrorCodeTests.codes)
  }

  @Test func `each code has its own one-line message`() {
    let messages = (ErrorCodeTests.codes + ErrorCodeTests.surroundings).map(\.message)
    #expect(Set(messages).count == messages.count)
    #expect(messages.allSatisfy { !$0.isEmpty && !$0.contains { $0.isNewline } })
  }

  @Test func `errors are equal when their codes are`() throws {
    let plain = try #require(failure { () throws(OTPError) in try Base32.decode("0") })
    let elsewhere = try #require(failure { () throws(OTPError) in try Base32.decode("AA0") })
    let part = try #require(failure { () throws(OTPError) in try OTPAuthURI("otpauth://totp/a?secret=0") })
    let other = try #require(failure { () throws(OTPError) in try Base32.decode("A") })
    #expect(plain == elsewhere && plain == part && plain != other)
    #expect(Set([plain, elsewhere, part, other]).count == 2)
  }
}
