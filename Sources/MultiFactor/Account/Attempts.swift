import Foundation

/// The attempts on one factor, or on the recovery codes.
///
/// Each counts as a failure before its code is checked; a success clears it and the failures before it.
struct Attempts: Sendable, Hashable {
  /// How many have failed since the last success.
  var failures: UInt64 = 0
  /// How many have ever succeeded.
  var acceptances: UInt64 = 0
  /// When the latest attempt was counted.
  var latest: Date?

  /// Whether an attempt may be made, or until when it must wait.
  enum Admission: Sendable, Hashable {
    case admitted
    /// Until that time or, with `nil`, until an administrator unlocks the factor.
    case refused(retryAfter: Date?, isLock: Bool)
  }

  /// Whether an attempt may be made now.
  func admission(at now: Date, under policy: AttemptPolicy) -> Admission {
    let delay = policy.delay(afterFailures: failures)
    let isLock = failures >= policy.failuresUntilLock
    guard delay.isFinite else { return .refused(retryAfter: nil, isLock: true) }
    guard delay > 0 else { return .admitted }
    // Failures without a time mean damaged state: the delay starts now.
    let end = (latest ?? now).addingTimeInterval(delay)
    return now >= end ? .admitted : .refused(retryAfter: end, isLock: isLock)
  }

  /// Counts an attempt as a failure, if it may be made.
  mutating func begin(at now: Date, under policy: AttemptPolicy) -> Admission {
    let admission = admission(at: now, under: policy)
    if admission == .admitted {
      failures += 1
      latest = now
    }
    return admission
  }

  /// Records that the attempt just counted had the right code.
  mutating func succeed() {
    failures = 0
    if acceptances < .max { acceptances += 1 }
  }

  /// Clears the failures: an administrator has unlocked the factor, or another factor was proved.
  mutating func unlock() { failures = 0 }
}
