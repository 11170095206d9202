import FactorRecord
import Foundation
import OTP

/// Which second factors are enabled, and under what rules.
///
/// ``state`` and ``providerConfigs`` are what Identity Platform's project configuration says about second factors, and
/// can be read from and written to its JSON. Everything else is this layer's own policy, which that JSON cannot
/// express.
///
/// ```swift
/// let configuration = try MultiFactorConfiguration(providerConfigs: [.totp(adjacentIntervals: 5)])
/// ```
public struct MultiFactorConfiguration: Sendable, Hashable {
  /// Whether there are second factors at all.
  ///
  /// Source: Identity Platform REST API v2, `MultiFactorAuthConfig.state`.
  @nonexhaustive public enum State: String, Sendable, Hashable, CaseIterable {
    /// Users can have second factors.
    case enabled = "ENABLED"
    /// No second factor can be enrolled or used.
    case disabled = "DISABLED"
    /// As ``enabled``, and every user should have one. A user who has none yet can still sign in, because there would
    /// be no way to enrol otherwise: whatever is for users with a second factor must check for it.
    case mandatory = "MANDATORY"
  }

  /// The highest value of ``maximumFactorCount``.
  public static let largestFactorCount = 5
  /// The longest interval or lifetime that can be configured, in seconds: 365 days.
  public static let longestInterval: TimeInterval = 31_536_000

  /// Whether there are second factors at all.
  public let state: State
  /// The providers, at most one of each kind: TOTP first, then external factors by their kind.
  public let providerConfigs: [ProviderConfig]
  /// How many wrong codes a factor takes, and how slowly.
  public let attemptPolicy: AttemptPolicy
  /// How many factors a user can have, 1...5.
  public let maximumFactorCount: Int
  /// How long after the proof of the first factor the user can change factors, in seconds.
  public let recentLoginInterval: TimeInterval
  /// How long a session, the secret being enrolled in it, and a resolver can be used, in seconds.
  public let sessionLifetime: TimeInterval
  /// How long the handle of a signed-in user can be used, in seconds.
  public let userTokenLifetime: TimeInterval
  /// How many steps of a TOTP factor's clock drift are learned from accepted codes, 0...10; 0 learns nothing.
  public let driftLimit: Int
  /// How many steps early or late consecutive codes of a TOTP factor are searched for, 0...1500; 0 turns that off.
  public let totpResynchronizationSteps: Int
  /// How many counters ahead an HOTP factor's code is searched for, 0...1000.
  public let hotpLookAhead: Int
  /// How many counters ahead consecutive codes of an HOTP factor are searched for, 0...1000.
  public let hotpResynchronizationLookAhead: Int
  /// Whether HOTP factors can be enrolled and used.
  public let allowsHOTP: Bool
  /// Whether recovery codes can be generated and used.
  public let allowsRecoveryCodes: Bool

  /// A configuration.
  ///
  /// - Parameters:
  ///   - state: Whether there are second factors at all.
  ///   - providerConfigs: The providers, at most one of each kind. Their order is not kept.
  ///   - attemptPolicy: How many wrong codes a factor takes, and how slowly.
  ///   - maximumFactorCount: How many factors a user can have, 1...5.
  ///   - recentLoginInterval: How long after the proof of the first factor the user can change factors, in seconds,
  ///     more than 0 and at most ``longestInterval``.
  ///   - sessionLifetime: How long a session or resolver can be used, in seconds, as above.
  ///   - userTokenLifetime: How long the handle of a signed-in user can be used, in seconds, as above, and not shorter
  ///     than `sessionLifetime`.
  ///   - driftLimit: How many steps of clock drift are learned from accepted codes, 0...10.
  ///   - totpResynchronizationSteps: How many steps early or late consecutive codes are searched for, 0...1500.
  ///   - hotpLookAhead: How many counters ahead a code is searched for, 0...1000.
  ///   - hotpResynchronizationLookAhead: How many counters ahead consecutive codes are searched for, 0...1000.
  ///   - allowsHOTP: Whether HOTP factors can be enrolled and used.
  ///   - allowsRecoveryCodes: Whether recovery codes can be generated and used.
  /// - Throws: ``ConfigurationError`` if a value is out of range, or a provider is configured twice.
  public init(
    state: State = .enabled, providerConfigs: [ProviderConfig], attemptPolicy: AttemptPolicy = .standard,
    maximumFactorCount: Int = 5, recentLoginInterval: TimeInterval = 300,
    sessionLifetime: TimeInterval = 600, userTokenLifetime: TimeInterval = 3600,
    driftLimit: Int = 0, totpResynchronizationSteps: Int = 1500,
    hotpLookAhead: Int = 10, hotpResynchronizationLookAhead: Int = 100, allowsHOTP: Bool = true,
    allowsRecoveryCodes: Bool = true
  ) throws(ConfigurationError) {
    self.state = state
    self.providerConfigs = try Self.ordered(providerConfigs)
    self.attemptPolicy = attemptPolicy
    self.maximumFactorCount = try Self.check(maximumFactorCount, 1...Self.largestFactorCount, "maximumFactorCount")
    self.recentLoginInterval = try Self.check(recentLoginInterval, "recentLoginInterval")
    self.sessionLifetime = try Self.check(sessionLifetime, "sessionLifetime")
    self.userTokenLifetime = try Self.check(userTokenLifetime, "userTokenLifetime")
    // Both count from the first factor: a sign-in that is completed in time must give a valid handle.
    guard userTokenLifetime >= sessionLifetime else { throw .outOfRange("userTokenLifetime") }
    self.driftLimit = try Self.check(driftLimit, 0...10, "driftLimit")
    self.totpResynchronizationSteps = try Self.check(
      totpResynchronizationSteps, 0...TOTP.largestResynchronizationSteps, "totpResynchronizationSteps")
    self.hotpLookAhead = try Self.check(hotpLookAhead, 0...1000, "hotpLookAhead")
    self.hotpResynchronizationLookAhead = try Self.check(
      hotpResynchronizationLookAhead, 0...1000, "hotpResynchronizationLookAhead")
    self.allowsHOTP = allowsHOTP
    self.allowsRecoveryCodes = allowsRecoveryCodes
  }

  /// Only TOTP, at most one step early or late and without learned drift, and recovery codes.
  public static let strict = MultiFactorConfiguration(strictAdjacentIntervals: 1)
}

extension MultiFactorConfiguration {
  /// Makes the strict preset. It cannot throw, because no value can be out of range.
  private init(strictAdjacentIntervals adjacentIntervals: Int) {
    state = .enabled
    providerConfigs = [ProviderConfig(state: .enabled, provider: .totp(TOTPProvider(checked: adjacentIntervals)))]
    attemptPolicy = .standard
    maximumFactorCount = 5
    recentLoginInterval = 300
    sessionLifetime = 600
    userTokenLifetime = 3600
    driftLimit = 0
    totpResynchronizationSteps = 0
    hotpLookAhead = 0
    hotpResynchronizationLookAhead = 0
    allowsHOTP = false
    allowsRecoveryCodes = true
  }

  /// The canonical order of providers: JSON keeps them in two places, without an order between them.
  private static func ordered(_ configs: [ProviderConfig]) throws(ConfigurationError) -> [ProviderConfig] {
    var byKind: [String: ProviderConfig] = [:]
    for (index, config) in configs.enumerated() {
      // A text that sorts before any kind's name.
      let kind = if case .external(let external) = config.provider { external.factorID } else { "" }
      guard byKind.updateValue(config, forKey: kind) == nil else {
        throw ConfigurationError(.duplicate, "providerConfigs[\(index)]")
      }
    }
    return byKind.sorted { $0.key < $1.key }.map(\.value)
  }

  private static func check(
    _ value: Int, _ range: ClosedRange<Int>, _ part: String
  ) throws(ConfigurationError) -> Int {
    guard range.contains(value) else { throw .outOfRange(part) }
    return value
  }

  private static func check(
    _ seconds: TimeInterval, atMost limit: TimeInterval = longestInterval, _ part: String
  ) throws(ConfigurationError) -> TimeInterval {
    // Also false for NaN.
    guard seconds > 0, seconds <= limit else { throw .outOfRange(part) }
    return seconds
  }
}

// What is enabled, however the configuration expresses it.
extension MultiFactorConfiguration {
  /// Whether there are second factors at all.
  var isEnabled: Bool { state != .disabled }

  /// Whether factors of a kind can be enrolled and used.
  func allows(_ kind: FactorKind) -> Bool {
    switch kind {
    case .totp: totp != nil
    case .hotp: isEnabled && allowsHOTP
    case .recovery: isEnabled && allowsRecoveryCodes
    default: enabledExternalFactorIDs.contains(kind.rawValue)
    }
  }

  /// Whether factors of any kind can be enrolled.
  var allowsEnrollment: Bool { allows(.totp) || allows(.hotp) || !enabledExternalFactorIDs.isEmpty }

  /// The kinds of external factors that are enabled.
  var enabledExternalFactorIDs: [String] {
    enabledProviders.compactMap { if case .external(let external) = $0 { external.factorID } else { nil } }
  }

  /// The settings of an external factor that is enabled.
  package func settings(of kind: FactorKind) -> [String: String]? {
    for case .external(let external) in enabledProviders where external.factorID == kind.rawValue {
      return external.settings
    }
    return nil
  }

  /// What holds for a single factor's record.
  var policy: FactorRecord.Policy {
    FactorRecord.Policy(
      checked: adjacentIntervals, driftLimit, totpResynchronizationSteps, hotpLookAhead, hotpResynchronizationLookAhead,
      attemptPolicy.limit)
  }

  /// How many steps early or late a TOTP code may be.
  var adjacentIntervals: Int { totp?.adjacentIntervals ?? 0 }

  var totp: TOTPProvider? {
    for case .totp(let provider) in enabledProviders { return provider }
    return nil
  }

  private var enabledProviders: some Sequence<ProviderConfig.Provider> {
    providerConfigs.lazy.filter { $0.state == .enabled && isEnabled }.map(\.provider)
  }
}
