import FactorRecord
import Foundation

/// How many wrong codes a factor tolerates, and how slowly; and how many an account tolerates over all of its factors.
///
/// A factor's own limit is that of `AttemptLimit` in the module FactorRecord: delays that double, then locks, then only an
/// administrator. Its failures are cleared by a success, by a sign-in with another factor, and by an administrator, but
/// not by the passing of time or by proving the first factor again.
///
/// In addition to each factor's own limit, the account has one over all of its factors and recovery codes:
/// ``accountFailuresUntilLock``. It is higher than any single factor's, so that wrong codes for one factor never lock
/// another.
///
/// A sign-in with a factor clears the failures of the account, its other factors and its recovery codes. One with a
/// recovery code clears those of the recovery codes and the account, but unlocks no factor: it is account recovery
/// (section 4.2), whose purpose is to bind a new factor in place of the lost one.
///
/// Source: NIST SP 800-63B-4, section 3.2.2 (no more than 100 consecutive failed attempts with one authenticator; a
/// successful authentication resets the others of its level).
public struct AttemptPolicy: Sendable, Hashable {
  /// The number of consecutive failures after which only an administrator can unlock a factor. It is not configurable.
  public static let ceiling = 100

  /// The number of consecutive failures that locks a factor, 1...100.
  public let failuresUntilLock: Int
  /// How long a lock lasts, in seconds, more than 0; `nil` until an administrator unlocks the factor.
  public let lockDuration: TimeInterval?
  /// The number of consecutive failures from which the next attempt must wait, 1 or more.
  public let firstDelayedFailure: Int
  /// The first delay, in seconds, 0 or more.
  public let initialDelay: TimeInterval
  /// The number of failures, over all of an account's factors and recovery codes, that locks all of them until an
  /// administrator unlocks one.
  public let accountFailuresUntilLock: Int

  /// A policy.
  ///
  /// - Parameters:
  ///   - failuresUntilLock: The number of consecutive failures that locks a factor, 1...100.
  ///   - lockDuration: How long a lock lasts, in seconds, more than 0; `nil` until an administrator unlocks.
  ///   - firstDelayedFailure: The number of failures from which the next attempt must wait, 1 or more.
  ///   - initialDelay: The first delay, in seconds, 0 or more.
  ///   - accountFailuresUntilLock: The number of failures over all factors and recovery codes that locks them all: at
  ///     most 600, and more than one factor can have, which is 100, or `failuresUntilLock` if `lockDuration` is `nil`;
  ///     `nil` for twice as many as one factor can have.
  /// - Throws: ``ConfigurationError`` if a value is out of range.
  public init(
    failuresUntilLock: Int = 10, lockDuration: TimeInterval? = 3600, firstDelayedFailure: Int = 4,
    initialDelay: TimeInterval = 1, accountFailuresUntilLock: Int? = nil
  ) throws(ConfigurationError) {
    guard 1...Self.ceiling ~= failuresUntilLock else { throw .outOfRange("failuresUntilLock") }
    guard firstDelayedFailure >= 1 else { throw .outOfRange("firstDelayedFailure") }
    guard initialDelay >= 0, initialDelay.isFinite else { throw .outOfRange("initialDelay") }
    if let lockDuration {
      guard lockDuration > 0, lockDuration.isFinite else { throw .outOfRange("lockDuration") }
    }
    let most = lockDuration == nil ? failuresUntilLock : Self.ceiling
    let accountLimit = accountFailuresUntilLock ?? 2 * most
    guard most + 1...Self.largestAccountLimit ~= accountLimit else { throw .outOfRange("accountFailuresUntilLock") }
    self.init(
      checked: failuresUntilLock, lockDuration: lockDuration, firstDelayedFailure: firstDelayedFailure,
      initialDelay: initialDelay, accountFailuresUntilLock: accountLimit)
  }

  /// As many failures as five factors and the recovery codes can have by their own limits.
  private static let largestAccountLimit = 6 * ceiling

  private init(
    checked failuresUntilLock: Int, lockDuration: TimeInterval?, firstDelayedFailure: Int, initialDelay: TimeInterval,
    accountFailuresUntilLock: Int
  ) {
    self.failuresUntilLock = failuresUntilLock
    self.lockDuration = lockDuration
    self.firstDelayedFailure = firstDelayedFailure
    self.initialDelay = initialDelay
    self.accountFailuresUntilLock = accountFailuresUntilLock
  }

  /// Ten failures lock a factor for an hour; from the fourth, delays are 1, 2, 4, … 32 seconds. Two hundred lock the
  /// account.
  public static let standard = AttemptPolicy(
    checked: 10, lockDuration: 3600, firstDelayedFailure: 4, initialDelay: 1, accountFailuresUntilLock: 200)

  /// A single factor's own limit.
  var limit: AttemptLimit {
    AttemptLimit(
      checked: failuresUntilLock, lockDuration: lockDuration.map(Self.milliseconds),
      firstDelayedFailure: firstDelayedFailure, initialDelay: Self.milliseconds(initialDelay))
  }

  /// Whole milliseconds, rounded up, so that no delay is shorter than asked for; at most 2^53.
  private static func milliseconds(_ seconds: TimeInterval) -> Int64 {
    Int64(min(0x1p53, (seconds * 1000).rounded(.up)))
  }
}
