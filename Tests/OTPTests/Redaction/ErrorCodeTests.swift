import OTP
import Testing

@Suite struct ErrorCodeTests {
  private static let codes: [OTPError.Code] = [
    .emptySecret, .invalidBase32Character, .invalidBase32Length, .invalidBase32Padding, .nonZeroBase32TrailingBits,
    .invalidAlgorithm, .invalidDigits, .invalidPeriod, .invalidCounter, .invalidWindow, .invalidLookAhead,
    .timeBeforeT0, .malformedCode, .mismatchedDigits, .uriTooLong, .invalidScheme, .invalidType, .invalidAuthority,
    .unexpectedFragment, .invalidCharacter, .invalidPercentEncoding, .invalidUTF8, .invalidIssuer, .invalidAccount,
    .missingParameter, .duplicateParameter, .invalidParameterName, .invalidTime, .randomnessUnavailable,
    .backendUnavailable, .cryptographyFailed,
  ]

  @Test func `each code has its own one-line message`() {
    let messages = ErrorCodeTests.codes.map(\.message)
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
