import Foundation

/// The attempts on one factor: how many were reserved, and which of them no longer count.
///
/// Every store keeps one for each factor and one for each user's recovery codes, and changes it with ``reserve(at:under:)``
/// and ``succeed(_:)`` alone, each inside one transaction. An attempt is reserved, and so counted as a failure, before
/// the code is looked at; only its own success, or a later one's, clears it.
public struct AttemptState: Sendable, Hashable {
  /// How many attempts were ever reserved. The number of the latest one.
  public var attempts: UInt64
  /// The number of the latest attempt that does not count as a failure any more, and with it all before.
  public var cleared: UInt64
  /// How many attempts were ever accepted.
  public var acceptances: UInt64
  /// When the latest attempt was reserved.
  public var lastAttempt: Date?

  /// The attempts of a new factor: none.
  public init(attempts: UInt64 = 0, cleared: UInt64 = 0, acceptances: UInt64 = 0, lastAttempt: Date? = nil) {
    self.attempts = attempts
    self.cleared = cleared
    self.acceptances = acceptances
    self.lastAttempt = lastAttempt
  }

  /// How many attempts count as failures now.
  public var consecutiveFailures: UInt64 { attempts >= cleared ? attempts - cleared : 0 }

  /// What came of asking for an attempt.
  @frozen public enum Decision: Sendable, Hashable {
    /// The attempt may be made, and has this number.
    case reserved(UInt64)
    /// It may not be made yet, or, with `nil`, not before an administrator unlocks the factor.
    case refused(retryAfter: Date?)
  }

  /// Asks for an attempt, and counts it as a failure where it may be made.
  ///
  /// A clock that was set back does not shorten a wait, and does not lengthen it by more than the wait itself: a state
  /// from the future is brought to `now`. So the state can change although the attempt is refused; a store saves it in
  /// both cases.
  public mutating func reserve(at now: Date, under policy: AttemptPolicy) -> Decision {
    let delay = policy.delay(afterFailures: consecutiveFailures)
    guard delay.isFinite, attempts < .max else { return .refused(retryAfter: nil) }
    if delay > 0 {
      // Failures without a time are a damaged state: the wait begins now.
      let start = min(lastAttempt ?? now, now)
      let end = start.addingTimeInterval(delay)
      // Written so that a time that is no number is refused.
      guard now.timeIntervalSince(end) >= 0 else {
        lastAttempt = start
        return .refused(retryAfter: end)
      }
    }
    attempts += 1
    lastAttempt = now
    return .reserved(attempts)
  }

  /// Records that a reserved attempt had the right code: it and the failures before it no longer count.
  public mutating func succeed(_ reservation: UInt64) {
    cleared = max(cleared, min(reservation, attempts))
    if acceptances < .max { acceptances += 1 }
  }

  /// Clears all failures: for an administrator.
  public mutating func unlock() { cleared = attempts }
}
