import OTP

extension MultiFactorConfiguration {
  /// A kind of second factor, with its settings, and whether it is enabled.
  public struct ProviderConfig: Sendable, Hashable, Redacted {
    enum Settings: Sendable, Hashable {
      case totp(adjacentIntervals: Int, driftLimit: Int, resynchronizationSteps: Int)
      case hotp(lookAhead: Int, resynchronizationLookAhead: Int)
      /// Only the factor reads them.
      case external([String: String])
    }

    /// The default number of steps early or late that a TOTP code may be, Identity Platform's. RFC 6238 recommends one.
    public static let standardAdjacentIntervals = 5
    /// How many steps early or late a TOTP code may be at most.
    public static let maximumAdjacentIntervals = 10

    /// Whether such factors can be enrolled and used. If not, enrolled ones are kept in case they are enabled again.
    public let state: State
    /// The kind's name: ``TOTPMultiFactorID``, ``HOTPMultiFactorID`` or ``ExternalFactor/factorID``.
    public let factorID: String
    let settings: Settings

    /// How many steps early or late a TOTP code may be; `nil` for another kind.
    public var adjacentIntervals: Int? { if case .totp(let count, _, _) = settings { count } else { nil } }

    /// TOTP codes from an authenticator app (RFC 6238).
    ///
    /// - Parameters:
    ///   - adjacentIntervals: How many steps early or late a code may be, 0...10.
    ///   - driftLimit: How many steps of a factor's clock drift are learned from accepted codes, 0...10; 0 learns
    ///     nothing.
    ///   - resynchronizationSteps: How many steps early or late consecutive codes are searched for, 0...1500; 0 turns
    ///     that off.
    ///   - state: Whether such factors can be enrolled and used.
    /// - Throws: ``ConfigurationError`` with a number out of its range.
    ///
    /// Source: Identity Platform REST API v2, `TotpMfaProviderConfig`, for `adjacentIntervals` and `state`.
    public static func totp(
      adjacentIntervals: Int = standardAdjacentIntervals, driftLimit: Int = 0, resynchronizationSteps: Int = 1500,
      state: State = .enabled
    ) throws(ConfigurationError) -> ProviderConfig {
      try check(adjacentIntervals, 0...maximumAdjacentIntervals, "adjacentIntervals")
      try check(driftLimit, 0...10, "driftLimit")
      try check(resynchronizationSteps, 0...TOTP.maximumResynchronizationSteps, "resynchronizationSteps")
      return totp(checked: adjacentIntervals, driftLimit, resynchronizationSteps, state)
    }

    /// HOTP codes from a hardware token (RFC 4226). Without this, they are enabled with the defaults: it is for other
    /// numbers, or to disable them.
    ///
    /// - Parameters:
    ///   - lookAhead: How many counters ahead a code is searched for, 0...1000.
    ///   - resynchronizationLookAhead: How many counters ahead consecutive codes are searched for, 0...1000.
    ///   - state: Whether such factors can be enrolled and used.
    /// - Throws: ``ConfigurationError`` with a number out of its range.
    public static func hotp(
      lookAhead: Int = 10, resynchronizationLookAhead: Int = 100, state: State = .enabled
    ) throws(ConfigurationError) -> ProviderConfig {
      try check(lookAhead, 0...1000, "lookAhead")
      try check(resynchronizationLookAhead, 0...1000, "resynchronizationLookAhead")
      return hotp(checked: lookAhead, resynchronizationLookAhead, state)
    }

    /// An external factor.
    ///
    /// - Parameters:
    ///   - factorID: Its kind: ``ExternalFactor/factorID``.
    ///   - state: Whether such factors can be enrolled and used.
    public static func external(_ factorID: String, state: State = .enabled) -> ProviderConfig {
      external(factorID, settings: [:], state: state)
    }

    package static func external(_ factorID: String, settings: [String: String], state: State) -> ProviderConfig {
      ProviderConfig(state: state, factorID: factorID, settings: .external(settings))
    }

    static func totp(
      checked adjacentIntervals: Int, _ driftLimit: Int, _ resynchronizationSteps: Int, _ state: State
    ) -> ProviderConfig {
      ProviderConfig(
        state: state, factorID: TOTPMultiFactorID,
        settings: .totp(
          adjacentIntervals: adjacentIntervals, driftLimit: driftLimit,
          resynchronizationSteps: resynchronizationSteps))
    }

    static func hotp(checked lookAhead: Int, _ resynchronizationLookAhead: Int, _ state: State) -> ProviderConfig {
      ProviderConfig(
        state: state, factorID: HOTPMultiFactorID,
        settings: .hotp(lookAhead: lookAhead, resynchronizationLookAhead: resynchronizationLookAhead))
    }

    private static func check(
      _ value: Int, _ range: ClosedRange<Int>, _ part: String
    ) throws(ConfigurationError) {
      guard range.contains(value) else { throw .outOfRange(part) }
    }

    /// The settings of an external factor.
    package var externalSettings: [String: String] {
      if case .external(let settings) = settings { settings } else { [:] }
    }

    /// The kind and its state.
    package var redactedDescription: String { "ProviderConfig(\(factorID), \(state.rawValue))" }
  }
}
