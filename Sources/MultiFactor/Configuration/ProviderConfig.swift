import OTP

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
      /// An external factor, such as text messages.
      case external(ExternalProvider)
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

    /// An external factor.
    ///
    /// - Parameters:
    ///   - factorID: Its kind: ``ExternalFactor/factorID``.
    ///   - state: Whether such factors can be enrolled and used.
    public static func external(_ factorID: String, state: State = .enabled) -> ProviderConfig {
      ProviderConfig(state: state, provider: .external(ExternalProvider(factorID: factorID)))
    }
  }

  /// An external factor, with its settings, which descriptions do not show.
  public struct ExternalProvider: Sendable, Hashable, Redacted {
    /// The factor's kind: ``ExternalFactor/factorID``.
    public let factorID: String
    /// Settings that only the factor reads.
    package let settings: [String: String]

    package init(factorID: String, settings: [String: String] = [:]) {
      self.factorID = factorID
      self.settings = settings
    }

    /// The kind, and how many settings there are.
    package var redactedDescription: String { "ExternalProvider(\(factorID), settings: \(settings.count))" }
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
