/// The attempts on one factor, or on a set of recovery codes.
///
/// Each counts as a failure before its code is checked; a success clears it and the failures before it.
package struct Attempts: Sendable, Hashable {
  /// How many have failed since the last success.
  package var failures: UInt64 = 0
  /// How many have ever succeeded.
  package var acceptances: UInt64 = 0
  /// When the latest attempt was counted, in milliseconds since 1970.
  package var latest: Int64?

  package init(failures: UInt64 = 0, acceptances: UInt64 = 0, latest: Int64? = nil) {
    self.failures = failures
    self.acceptances = acceptances
    self.latest = latest
  }

  /// Whether an attempt may be made, or until when it must wait.
  package enum Admission: Sendable, Hashable {
    case admitted
    /// Until that time or, with `nil`, until an administrator unlocks the factor.
    case refused(retryAfter: Int64?, isLock: Bool)
  }

  /// Whether an attempt may be made now.
  package func admission(at now: Int64, under limit: AttemptLimit) -> Admission {
    guard let delay = limit.delay(afterFailures: failures) else { return .refused(retryAfter: nil, isLock: true) }
    guard delay > 0 else { return .admitted }
    // Failures without a time mean damaged state: the delay starts now.
    let (end, overflow) = (latest ?? now).addingReportingOverflow(delay)
    let isLock = failures >= UInt64(limit.failuresUntilLock)
    if overflow { return .refused(retryAfter: .max, isLock: isLock) }
    return now >= end ? .admitted : .refused(retryAfter: end, isLock: isLock)
  }

  /// Counts an attempt as a failure, if it may be made.
  package mutating func begin(at now: Int64, under limit: AttemptLimit) -> Admission {
    let admission = admission(at: now, under: limit)
    if admission == .admitted {
      if failures < .max { failures += 1 }
      latest = now
    }
    return admission
  }

  /// Records that the attempt just counted had the right code.
  package mutating func succeed() {
    failures = 0
    if acceptances < .max { acceptances += 1 }
  }

  /// Clears the failures: an administrator has unlocked the factor, or another factor was verified.
  package mutating func unlock() { failures = 0 }
}

/// How many wrong codes a factor tolerates, and how slowly.
///
/// It counts consecutive failures of one factor. They are cleared by a success and by an administrator, but not by the
/// passing of time.
///
/// | consecutive failures | the next attempt |
/// |---|---|
/// | fewer than ``firstDelayedFailure`` | immediately |
/// | from there to ``failuresUntilLock`` | after the initial delay, doubled with each failure, up to the lock's duration |
/// | from ``failuresUntilLock`` on: locked | after the lock's duration; each further failure locks again |
/// | ``ceiling`` | not until an administrator unlocks the factor |
///
/// Source: NIST SP 800-63B-4, section 3.2.2 (no more than 100 consecutive failed attempts with one authenticator).
public struct AttemptLimit: Sendable, Hashable {
  /// The number of consecutive failures after which only an administrator can unlock a factor. It is not configurable.
  public static var ceiling: Int { 100 }

  /// The number of consecutive failures that locks a factor, 1...100.
  public let failuresUntilLock: Int
  /// The number of consecutive failures from which the next attempt must wait, 1 or more.
  public let firstDelayedFailure: Int
  /// The first delay, in milliseconds, 0 or more.
  package let initialDelay: Int64
  /// How long a lock lasts, in milliseconds, more than 0; `nil` until an administrator ends it.
  package let lockDuration: Int64?

  /// A limit.
  ///
  /// - Parameters:
  ///   - failuresUntilLock: The number of consecutive failures that locks a factor, 1...100.
  ///   - lockSeconds: How long a lock lasts, in seconds, 1...2^32; `nil` until an administrator unlocks the factor.
  ///   - firstDelayedFailure: The number of failures from which the next attempt must wait, 1 or more.
  ///   - initialDelaySeconds: The first delay, in seconds, 0...2^32.
  /// - Throws: ``FactorRecordError`` with `outOfRange`.
  public init(
    failuresUntilLock: Int = 10, lockSeconds: Int64? = 3600, firstDelayedFailure: Int = 4,
    initialDelaySeconds: Int64 = 1
  ) throws(FactorRecordError) {
    guard 1...Self.ceiling ~= failuresUntilLock, firstDelayedFailure >= 1,
      0...Self.longest ~= initialDelaySeconds, 1...Self.longest ~= lockSeconds ?? 1
    else { throw FactorRecordError(.outOfRange) }
    self.init(
      checked: failuresUntilLock, lockDuration: lockSeconds.map { $0 * 1000 },
      firstDelayedFailure: firstDelayedFailure, initialDelay: initialDelaySeconds * 1000)
  }

  /// A limit in milliseconds, of values that are in range.
  package init(checked failuresUntilLock: Int, lockDuration: Int64?, firstDelayedFailure: Int, initialDelay: Int64) {
    self.failuresUntilLock = failuresUntilLock
    self.lockDuration = lockDuration
    self.firstDelayedFailure = firstDelayedFailure
    self.initialDelay = initialDelay
  }

  /// Ten failures lock a factor for an hour; from the fourth, delays are 1, 2, 4, … 32 seconds.
  public static var standard: AttemptLimit {
    AttemptLimit(checked: 10, lockDuration: 3_600_000, firstDelayedFailure: 4, initialDelay: 1000)
  }

  private static var longest: Int64 { 1 << 32 }
  /// The longest delay if a lock lasts until an administrator ends it: a day.
  private static var longestDelayWithoutLock: Int64 { 86_400_000 }

  /// The delay after this many consecutive failures, in milliseconds; `nil` if only an administrator can unlock the
  /// factor.
  package func delay(afterFailures failures: UInt64) -> Int64? {
    if failures >= UInt64(Self.ceiling) { return nil }
    let failures = Int(failures)
    if failures >= failuresUntilLock { return lockDuration }
    if failures < firstDelayedFailure { return 0 }
    let longest = lockDuration ?? Self.longestDelayWithoutLock
    // At most 98, for which the shift gives 0.
    let doublings = Int64(failures - firstDelayedFailure)
    return initialDelay <= longest >> doublings ? initialDelay << doublings : longest
  }
}
