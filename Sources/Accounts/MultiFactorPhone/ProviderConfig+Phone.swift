import MultiFactor

extension MultiFactorConfiguration.ProviderConfig {
  /// The maximum number of test numbers.
  public static let maximumTestPhoneNumberCount = 10

  /// Codes by text message, which ``PhoneFactor`` sends.
  ///
  /// A test number has a fixed code, and nothing is sent to it. Anyone who knows both can pass for its owner, so it
  /// must not be a real person's number. Descriptions never show either.
  ///
  /// - Parameters:
  ///   - testPhoneNumbers: The code, six ASCII digits, of each test number, in E.164; 10 at most.
  ///   - state: Whether such factors can be enrolled and used.
  /// - Throws: `ConfigurationError` if there are too many numbers, one is not E.164, or a code is not six digits.
  ///
  /// Source: Identity Platform REST API v2, `PhoneNumber.testPhoneNumbers`.
  public static func phone(
    testPhoneNumbers: [String: String] = [:], state: MultiFactorConfiguration.State = .enabled
  ) throws(ConfigurationError) -> Self {
    // One error for all cases: numbers and codes must not appear in its text.
    let isValid = testPhoneNumbers.allSatisfy { number, code in PhoneNumber.isE164(number) && isCode(code) }
    guard testPhoneNumbers.count <= maximumTestPhoneNumberCount, isValid else { throw .outOfRange("testPhoneNumbers") }
    return .external(PhoneMultiFactorID, settings: testPhoneNumbers, state: state)
  }

  private static func isCode(_ text: String) -> Bool {
    let digits = text.utf8.prefix(7)
    return digits.count == 6 && digits.allSatisfy { (0x30...0x39).contains($0) }
  }
}
