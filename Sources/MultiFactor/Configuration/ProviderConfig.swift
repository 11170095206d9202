extension MultiFactorConfiguration {
  /// A provider of second factors, and whether it is enabled.
  public struct ProviderConfig: Sendable, Hashable {
    /// Whether a provider's factors can be enrolled and used.
    @nonexhaustive public enum State: String, Sendable, Hashable, CaseIterable {
      /// They can.
      case enabled = "ENABLED"
      /// They cannot. Enrolled factors are kept in case the provider is enabled again.
      case disabled = "DISABLED"
    }

    /// A provider.
    @nonexhaustive public enum Provider: Sendable, Hashable {
      /// TOTP codes from an authenticator app (RFC 6238).
      case totp(TOTPProvider)
      /// Codes by text message.
      case phone(PhoneProvider)
    }

    /// Whether the provider's factors can be enrolled and used.
    public let state: State
    /// The provider.
    public let provider: Provider

    /// A provider with a state.
    public init(state: State, provider: Provider) {
      self.state = state
      self.provider = provider
    }

    /// TOTP codes from an authenticator app.
    ///
    /// - Parameters:
    ///   - adjacentIntervals: How many steps early or late a code may be, 0...10.
    ///   - state: Whether such factors can be enrolled and used.
    /// - Throws: ``ConfigurationError`` with a number out of its range.
    public static func totp(
      adjacentIntervals: Int = TOTPProvider.standardAdjacentIntervals, state: State = .enabled
    ) throws(ConfigurationError) -> ProviderConfig {
      ProviderConfig(state: state, provider: .totp(try TOTPProvider(adjacentIntervals: adjacentIntervals)))
    }

    /// Codes by text message.
    ///
    /// - Parameters:
    ///   - testPhoneNumbers: The code of each test number: see ``PhoneProvider``.
    ///   - state: Whether such factors can be enrolled and used.
    /// - Throws: ``ConfigurationError`` if there are too many numbers, one is not E.164, or a code is not six digits.
    public static func phone(
      testPhoneNumbers: [String: String] = [:], state: State = .enabled
    ) throws(ConfigurationError) -> ProviderConfig {
      ProviderConfig(state: state, provider: .phone(try PhoneProvider(testPhoneNumbers: testPhoneNumbers)))
    }
  }

  /// Settings for TOTP codes.
  ///
  /// Source: Identity Platform REST API v2, `TotpMfaProviderConfig`.
  public struct TOTPProvider: Sendable, Hashable {
    /// The default of ``adjacentIntervals``.
    public static let standardAdjacentIntervals = 5
    /// The highest value of ``adjacentIntervals``.
    public static let largestAdjacentIntervals = 10

    /// How many steps early or late a code may be, 0...10.
    public let adjacentIntervals: Int

    /// Settings.
    ///
    /// - Parameter adjacentIntervals: How many steps early or late a code may be, 0...10.
    /// - Throws: ``ConfigurationError`` with a number out of its range.
    public init(adjacentIntervals: Int = standardAdjacentIntervals) throws(ConfigurationError) {
      guard 0...Self.largestAdjacentIntervals ~= adjacentIntervals else { throw .outOfRange("adjacentIntervals") }
      self.init(checked: adjacentIntervals)
    }

    init(checked adjacentIntervals: Int) { self.adjacentIntervals = adjacentIntervals }
  }
}
