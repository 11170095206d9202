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
    /// Until that time or, with `nil`, until an administrator unlocks the factor or the user enrolls again.
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

  /// Clears the failures, and forgets an attempt in the future, which a wrong clock dated: an administrator has
  /// unlocked the factor, or another factor was verified. If the user must enroll again, the failures stay.
  package mutating func unlock(at now: Int64) {
    if !needNewEnrollment { failures = 0 }
    if let latest, latest > now { self.latest = nil }
  }

  /// Whether so many have failed that the user must enroll again.
  package var needNewEnrollment: Bool { failures >= UInt64(AttemptLimit.maximumFailuresUntilLock) }
}

/// How many wrong codes a factor tolerates, and how slowly.
///
/// It counts consecutive failures of one factor. They are cleared by a success and, before the last row, by an
/// administrator, but not by the passing of time.
///
/// | consecutive failures | the next attempt |
/// |---|---|
/// | fewer than ``firstDelayedFailure`` | immediately |
/// | from there on | after the initial delay, doubled by each failure, up to the lock's duration |
/// | from ``failuresUntilLock`` on: locked | after the lock's duration; each further failure locks again |
/// | ``maximumFailuresUntilLock`` | never: the user must enroll again |
///
/// Source: NIST SP 800-63B-4, section 3.2.2 (after 100 consecutive failures, an authenticator is disabled until it is
/// bound again).
public struct AttemptLimit: Sendable, Hashable {
  /// The number of consecutive failures after which only a new enrollment helps. It is not configurable.
  public static var maximumFailuresUntilLock: Int { 100 }

  /// The number of consecutive failures that locks a factor, 1...100.
  public let failuresUntilLock: Int
  /// The number of consecutive failures from which the next attempt must wait, 1 or more.
  public let firstDelayedFailure: Int
  /// The first delay, to the millisecond, 0 or more.
  public var initialDelay: Duration { .milliseconds(initialMilliseconds) }
  /// How long a lock lasts, to the millisecond, more than 0; `nil` until an administrator unlocks the factor.
  public var lockDuration: Duration? { lockMilliseconds.map(Duration.milliseconds) }

  let initialMilliseconds: Int64
  let lockMilliseconds: Int64?

  /// A limit, with delays that grow until it is reached.
  ///
  /// - Parameters:
  ///   - failuresUntilLock: The number of consecutive failures that locks a factor, 1...100.
  ///   - lockDuration: How long a lock lasts, more than 0 and at most 2^32 seconds; `nil` until an administrator
  ///     unlocks the factor. It is rounded up to a millisecond.
  ///   - firstDelayedFailure: The number of failures from which the next attempt must wait, 1 or more.
  ///   - initialDelay: The first delay, 0 to 2^32 seconds, likewise.
  /// - Throws: ``FactorRecordError`` with `outOfRange`.
  public init(
    failuresUntilLock: Int = 10, lockDuration: Duration? = .seconds(3600), firstDelayedFailure: Int = 4,
    initialDelay: Duration = .seconds(1)
  ) throws(FactorRecordError) {
    let longest = Duration.seconds(Int64(1) << 32)
    guard 1...Self.maximumFailuresUntilLock ~= failuresUntilLock, firstDelayedFailure >= 1,
      .zero...longest ~= initialDelay, lockDuration.map({ $0 > .zero && $0 <= longest }) ?? true
    else { throw FactorRecordError(.outOfRange) }
    self.init(
      failuresUntilLock, lockMilliseconds: lockDuration.map(Self.milliseconds), firstDelayedFailure,
      initialMilliseconds: Self.milliseconds(initialDelay))
  }

  /// A limit of values that are in range.
  private init(
    _ failuresUntilLock: Int, lockMilliseconds: Int64?, _ firstDelayedFailure: Int, initialMilliseconds: Int64
  ) {
    self.failuresUntilLock = failuresUntilLock
    self.lockMilliseconds = lockMilliseconds
    self.firstDelayedFailure = firstDelayedFailure
    self.initialMilliseconds = initialMilliseconds
  }

  /// Ten failures lock a factor for an hour; from the fourth, delays are 1, 2, 4, … 32 seconds.
  public static var standard: AttemptLimit {
    AttemptLimit(10, lockMilliseconds: 3_600_000, 4, initialMilliseconds: 1000)
  }

  /// The longest delay if a lock lasts until an administrator ends it: a day.
  private static var longestDelayWithoutLock: Int64 { 86_400_000 }

  /// Whole milliseconds, rounded up, so that no delay is shorter than asked for.
  private static func milliseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  }

  /// The delay after this many consecutive failures, in milliseconds; `nil` if it does not end by itself.
  package func delay(afterFailures failures: UInt64) -> Int64? {
    if failures >= UInt64(Self.maximumFailuresUntilLock) { return nil }
    let failures = Int(failures)
    if failures >= failuresUntilLock { return lockMilliseconds }
    if failures < firstDelayedFailure { return 0 }
    let longest = lockMilliseconds ?? Self.longestDelayWithoutLock
    // At most 98, for which the shift gives 0.
    let doublings = Int64(failures - firstDelayedFailure)
    return initialMilliseconds <= longest >> doublings ? initialMilliseconds << doublings : longest
  }
}
