import Foundation

/// How many wrong codes a factor takes, and how slowly; and how many all of an account's factors take together.
///
/// Counted are consecutive failures of one factor. A success clears those before it, and so do a sign-in by another
/// factor and an administrator; the passing of time and a new proof of the first factor do not.
///
/// | consecutive failures | the next attempt |
/// |---|---|
/// | fewer than ``firstDelayedFailure`` | at once |
/// | from there to ``failuresUntilLock`` | after ``initialDelay``, doubled with each further failure, up to the lock's |
/// | from ``failuresUntilLock`` on: locked | after ``lockDuration``; each further failure locks again |
/// | ``ceiling`` | not before an administrator unlocks the factor |
///
/// Beside each factor's own limit there is one on the account, ``accountFailuresUntilLock``: over all of its factors and
/// recovery codes. It is more than one factor takes by itself, so that wrong codes for one factor never lock another.
///
/// A sign-in by a factor clears the failures of the account, its other factors and its recovery codes. One by a recovery
/// code clears those of the recovery codes and the account, but unlocks no factor: it is account recovery (section 4.2),
/// which is for binding a new factor in the place of the lost one.
///
/// Source: NIST SP 800-63B-4, section 3.2.2 (no more than 100 consecutive failed attempts with one authenticator; a
/// successful authentication resets the others of its level).
public struct AttemptPolicy: Sendable, Hashable {
  /// The number of consecutive failures after which nothing but an administrator unlocks a factor. It can not be raised.
  public static let ceiling = 100

  /// The number of consecutive failures that locks a factor, 1...100.
  public let failuresUntilLock: Int
  /// How long a lock lasts, in seconds, more than 0; `nil` until an administrator unlocks the factor.
  public let lockDuration: TimeInterval?
  /// The number of consecutive failures from which on the next attempt has to wait, 1 or more.
  public let firstDelayedFailure: Int
  /// How long the first wait is, in seconds, 0 or more.
  public let initialDelay: TimeInterval
  /// The number of failures, over all of an account's factors and recovery codes, that locks all of them until an
  /// administrator unlocks one.
  public let accountFailuresUntilLock: Int

  /// A policy.
  ///
  /// - Parameters:
  ///   - failuresUntilLock: The number of consecutive failures that locks a factor, 1...100.
  ///   - lockDuration: How long a lock lasts, in seconds, more than 0; `nil` until an administrator unlocks.
  ///   - firstDelayedFailure: The number of failures from which on the next attempt waits, 1 or more.
  ///   - initialDelay: How long the first wait is, in seconds, 0 or more.
  ///   - accountFailuresUntilLock: The number of failures over all factors and recovery codes that locks them all: more
  ///     than one factor can have, which is 100, or `failuresUntilLock` where `lockDuration` is `nil`; at most 600. `nil`
  ///     for twice as many as one factor can have.
  /// - Throws: ``ConfigurationError`` with a value out of its range.
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

  /// The longest wait before a lock that only an administrator ends, in seconds: a day.
  private static let longestDelayWithoutLock: TimeInterval = 86_400
  /// As many as five factors and the recovery codes can have by their own limits.
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

  /// Ten failures lock for an hour; from the fourth on, 1, 2, 4, … 32 seconds of waiting. Two hundred lock the account.
  public static let standard = AttemptPolicy(
    checked: 10, lockDuration: 3600, firstDelayedFailure: 4, initialDelay: 1, accountFailuresUntilLock: 200)

  /// The seconds to wait after so many consecutive failures; infinite where only an administrator can help.
  func delay(afterFailures failures: UInt64) -> TimeInterval {
    if failures >= UInt64(Self.ceiling) { return .infinity }
    let failures = Int(failures)
    if failures >= failuresUntilLock { return lockDuration ?? .infinity }
    if failures < firstDelayedFailure { return 0 }
    let delay = initialDelay * TimeInterval(sign: .plus, exponent: failures - firstDelayedFailure, significand: 1)
    return min(delay, lockDuration ?? Self.longestDelayWithoutLock)
  }
}
