extension MultiFactorConfiguration {
  /// Settings of codes by text message.
  ///
  /// A test number has one code that does not change, and nothing is sent to it: to know the two is to pass for its
  /// owner, so it must not be a person's number. Neither is ever shown by a description.
  ///
  /// Source: Identity Platform REST API v2, `PhoneNumber.testPhoneNumbers`.
  public struct PhoneProvider: Sendable, Hashable {
    /// How many test numbers there can be.
    public static let largestTestNumberCount = 10

    /// The code, six ASCII digits, of each test number, in E.164.
    public let testPhoneNumbers: [String: String]

    /// Settings.
    ///
    /// - Parameter testPhoneNumbers: The code, six ASCII digits, of each test number, in E.164; 10 at most.
    /// - Throws: ``ConfigurationError`` with too many numbers, one that is not E.164, or a code that is not six digits.
    public init(testPhoneNumbers: [String: String] = [:]) throws(ConfigurationError) {
      // One error for all of them: a number or a code does not belong in its text.
      let isValid = testPhoneNumbers.allSatisfy { number, code in
        PhoneNumber.isE164(number) && PhoneProvider.isCode(code)
      }
      guard testPhoneNumbers.count <= Self.largestTestNumberCount, isValid else {
        throw .outOfRange("testPhoneNumbers")
      }
      self.testPhoneNumbers = testPhoneNumbers
    }

    /// The code of a number that nothing is sent to, or `nil` for any other.
    func testCode(for number: PhoneNumber) -> String? { testPhoneNumbers[number.e164] }

    private static func isCode(_ text: String) -> Bool {
      let digits = text.utf8.prefix(7)
      return digits.count == 6 && digits.allSatisfy { (0x30...0x39).contains($0) }
    }
  }
}

extension MultiFactorConfiguration.PhoneProvider: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// How many test numbers there are, and none of them.
  public var description: String { "PhoneProvider(testPhoneNumbers: \(testPhoneNumbers.count))" }

  /// How many test numbers there are, and none of them.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
