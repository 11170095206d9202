import OTP

extension MultiFactorConfiguration {
  /// Settings for codes sent by text message.
  ///
  /// A test number has a fixed code, and nothing is sent to it. Anyone who knows both can pass for its owner, so it
  /// must not be a real person's number. Descriptions never show either.
  ///
  /// Source: Identity Platform REST API v2, `PhoneNumber.testPhoneNumbers`.
  public struct PhoneProvider: Sendable, Hashable {
    /// The maximum number of test numbers.
    public static let largestTestNumberCount = 10

    /// The code, six ASCII digits, of each test number, in E.164.
    public let testPhoneNumbers: [String: String]

    /// Settings.
    ///
    /// - Parameter testPhoneNumbers: The code, six ASCII digits, of each test number, in E.164; 10 at most.
    /// - Throws: ``ConfigurationError`` if there are too many numbers, one is not E.164, or a code is not six digits.
    public init(testPhoneNumbers: [String: String] = [:]) throws(ConfigurationError) {
      // One error for all cases: numbers and codes must not appear in its text.
      let isValid = testPhoneNumbers.allSatisfy { number, code in
        PhoneNumber.isE164(number) && PhoneProvider.isCode(code)
      }
      guard testPhoneNumbers.count <= Self.largestTestNumberCount, isValid else {
        throw .outOfRange("testPhoneNumbers")
      }
      self.testPhoneNumbers = testPhoneNumbers
    }

    /// The code of a test number, or `nil` for any other number.
    func testCode(for number: PhoneNumber) -> String? { testPhoneNumbers[number.e164] }

    private static func isCode(_ text: String) -> Bool {
      let digits = text.utf8.prefix(7)
      return digits.count == 6 && digits.allSatisfy { (0x30...0x39).contains($0) }
    }
  }
}

extension MultiFactorConfiguration.PhoneProvider: Redacted {
  /// How many test numbers there are, and none of them.
  package var redactedDescription: String { "PhoneProvider(testPhoneNumbers: \(testPhoneNumbers.count))" }
}
