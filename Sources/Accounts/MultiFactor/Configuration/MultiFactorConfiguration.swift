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
/// let configuration = try MultiFactorConfiguration(
///   providerConfigs: [.totp(adjacentIntervals: 1)])
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
    /// be no way to enroll otherwise: anything that requires a second factor must check for it.
    case mandatory = "MANDATORY"
  }

  /// How many factors a user can have at most, whatever ``maximumFactorCount`` is.
  public static let factorCountLimit = 5
  /// The maximum interval or lifetime: 365 days.
  public static let maximumDuration = Duration.seconds(31_536_000)

  /// Whether there are second factors at all.
  public let state: State
  /// The kinds of factors, each at most once: TOTP, HOTP, then external factors by their name. HOTP need not be listed.
  public let providerConfigs: [ProviderConfig]
  /// How many wrong codes a factor tolerates, and how slowly.
  public let attemptLimit: AttemptLimit
  /// The number of failures, over all of an account's factors and recovery codes, that locks all of them until an
  /// administrator unlocks one: at most 600, and more than one factor can have, so that wrong codes for one never lock
  /// another. That is 100, or its `failuresUntilLock` if it is locked until an administrator unlocks it; twice as many
  /// by default.
  public let accountFailuresUntilLock: Int
  /// How many factors a user can have, 1...5.
  public let maximumFactorCount: Int
  /// How long after the first factor was verified the user can change factors; like those below, more than 0 and at
  /// most ``maximumDuration``.
  public let recentLoginInterval: Duration
  /// How long a session, the secret being enrolled in it, and a resolver can be used.
  public let sessionLifetime: Duration
  /// How long the handle of a signed-in user can be used: not shorter than ``sessionLifetime``.
  public let userTokenLifetime: Duration
  /// Whether recovery codes can be generated and used.
  public let allowsRecoveryCodes: Bool
  /// The kinds that are enabled, and what holds for a single factor's record.
  private let enabled: Enabled

  /// A configuration: each parameter sets the property of its name, and all but the kinds of factors have a default.
  ///
  /// A sign-in with a factor clears the failures of the account, its other factors and its recovery codes. One with a
  /// recovery code clears those of the recovery codes and the account, but unlocks no factor: it is account recovery,
  /// whose purpose is to bind a new factor in place of the lost one.
  ///
  /// - Throws: ``ConfigurationError`` if a value is out of range, or a kind is configured twice.
  ///
  /// Source: NIST SP 800-63B-4, sections 3.2.2 (no more than 100 consecutive failed attempts with one authenticator; a
  /// successful authentication resets the others of its level) and 4.2.
  public init(
    state: State = .enabled, providerConfigs: [ProviderConfig], attemptLimit: AttemptLimit = .standard,
    accountFailuresUntilLock: Int? = nil, maximumFactorCount: Int = factorCountLimit,
    recentLoginInterval: Duration = .seconds(300), sessionLifetime: Duration = .seconds(600),
    userTokenLifetime: Duration = .seconds(3600), allowsRecoveryCodes: Bool = true
  ) throws(ConfigurationError) {
    self.state = state
    self.providerConfigs = try Self.ordered(providerConfigs)
    self.attemptLimit = attemptLimit
    self.accountFailuresUntilLock = try Self.accountLimit(accountFailuresUntilLock, attemptLimit)
    guard 1...Self.factorCountLimit ~= maximumFactorCount else { throw .outOfRange("maximumFactorCount") }
    self.maximumFactorCount = maximumFactorCount
    self.recentLoginInterval = try Self.check(recentLoginInterval, "recentLoginInterval")
    self.sessionLifetime = try Self.check(sessionLifetime, "sessionLifetime")
    self.userTokenLifetime = try Self.check(userTokenLifetime, "userTokenLifetime")
    // Both count from the first factor: a sign-in that is completed in time must give a valid handle.
    guard userTokenLifetime >= sessionLifetime else { throw .outOfRange("userTokenLifetime") }
    self.allowsRecoveryCodes = allowsRecoveryCodes
    enabled = Enabled(self.providerConfigs, attemptLimit)
  }

  /// Only TOTP, at most one step early or late, without learned drift and resynchronization, and recovery codes.
  public static let strict = MultiFactorConfiguration(checked: [
    .totp(checked: 1, 0, 0, .enabled), .hotp(checked: 10, 100, .disabled),
  ])

  /// The defaults with kinds of factors that need no check.
  private init(checked configs: [ProviderConfig]) {
    (state, providerConfigs, enabled) = (.enabled, configs, Enabled(configs, .standard))
    (attemptLimit, accountFailuresUntilLock, maximumFactorCount) = (.standard, 200, Self.factorCountLimit)
    (recentLoginInterval, sessionLifetime, userTokenLifetime) = (.seconds(300), .seconds(600), .seconds(3600))
    allowsRecoveryCodes = true
  }
}

extension MultiFactorConfiguration {
  /// The canonical order: JSON keeps the kinds in two places, without an order between them.
  private static func ordered(_ configs: [ProviderConfig]) throws(ConfigurationError) -> [ProviderConfig] {
    func rank(_ config: ProviderConfig) -> (Int, String) {
      switch config.settings {
      case .totp: (0, "")
      case .hotp: (1, "")
      case .external: (2, config.factorID)
      }
    }
    var names: Set<String> = []
    for (index, config) in configs.enumerated() where !names.insert(config.factorID).inserted {
      throw ConfigurationError(.duplicate, "providerConfigs[\(index)]")
    }
    return configs.sorted { rank($0) < rank($1) }
  }

  private static func accountLimit(_ limit: Int?, _ single: AttemptLimit) throws(ConfigurationError) -> Int {
    let maximum = AttemptLimit.maximumFailuresUntilLock
    let most = single.lockDuration == nil ? single.failuresUntilLock : maximum
    let limit = limit ?? 2 * most
    // As many failures as five factors and the recovery codes can have under their own limits.
    guard most + 1...6 * maximum ~= limit else { throw .outOfRange("accountFailuresUntilLock") }
    return limit
  }

  private static func check(_ duration: Duration, _ part: String) throws(ConfigurationError) -> Duration {
    guard duration > .zero, duration <= maximumDuration else { throw .outOfRange(part) }
    return duration
  }
}

// What is enabled, however the configuration expresses it.
extension MultiFactorConfiguration {
  private struct Enabled: Sendable, Hashable {
    let configs: [ProviderConfig]
    let policy: FactorRecord.Policy

    init(_ all: [ProviderConfig], _ limit: AttemptLimit) {
      // HOTP need not be listed.
      let hotp: [ProviderConfig] =
        all.contains { $0.factorID == HOTPMultiFactorID } ? [] : [.hotp(checked: 10, 100, .enabled)]
      configs = (all + hotp).filter { $0.state != .disabled }
      var (adjacentIntervals, driftLimit, steps, lookAhead, resynchronizationLookAhead) = (0, 0, 0, 0, 0)
      for config in configs {
        switch config.settings {
        case .totp(let a, let d, let s): (adjacentIntervals, driftLimit, steps) = (a, d, s)
        case .hotp(let l, let r): (lookAhead, resynchronizationLookAhead) = (l, r)
        case .external: break
        }
      }
      policy = FactorRecord.Policy(
        checked: adjacentIntervals, driftLimit, steps, lookAhead, resynchronizationLookAhead, limit)
    }
  }

  /// What holds for a single factor's record.
  package var policy: FactorRecord.Policy { enabled.policy }

  /// Whether there are second factors at all.
  var isEnabled: Bool { state != .disabled }

  /// Whether factors of a kind can be enrolled and used.
  package func allows(_ kind: FactorKind) -> Bool {
    guard isEnabled else { return false }
    return kind == .recovery ? allowsRecoveryCodes : enabled.configs.contains { $0.factorID == kind.rawValue }
  }

  /// Whether factors of any kind can be enrolled.
  var allowsEnrollment: Bool { isEnabled && !enabled.configs.isEmpty }

  /// The kinds of external factors that are enabled.
  var enabledExternalFactorIDs: [String] {
    isEnabled ? enabled.configs.compactMap { if case .external = $0.settings { $0.factorID } else { nil } } : []
  }

  /// The settings of an external factor that is enabled.
  package func settings(of kind: FactorKind) -> [String: String]? {
    isEnabled ? enabled.configs.first { $0.factorID == kind.rawValue }?.externalSettings : nil
  }
}
