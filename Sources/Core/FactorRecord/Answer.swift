extension FactorRecord {
  /// The answer to what a user submitted.
  ///
  /// The client learns only whether it was accepted and, if not, when to try again.
  @frozen public enum Answer: Sendable, Hashable {
    /// The code is right, and spent. Let the user in once the changed record has replaced the one that was read.
    case accepted(Acceptance)
    /// The code is right, and has confirmed the enrollment. It does not sign the user in.
    case enrolled(Acceptance)
    /// The code is not accepted: give every client the same answer, whatever the reason.
    case rejected(Reason)
    /// Nothing was looked at, since it is too early after earlier failures or, after a loss, since the user's app still
    /// shows a code that is spent (``FactorRecord/spend(until:under:)``): from that time on.
    case wait(until: RetryTime)
    /// Nothing was looked at, since there were too many failures: until that time or, with `nil`, until an
    /// administrator unlocks the factor, or the user enrolls again if it ``FactorRecord/needsNewEnrollment``.
    case locked(until: RetryTime?)
  }

  /// From when on the next attempt is looked at.
  public struct RetryTime: Sendable, Hashable {
    /// In seconds since 1970, rounded up.
    public let unixTime: Int64
    /// The end of a delay or lock after failures, to the millisecond; `nil` if all codes until then are spent.
    package let milliseconds: Int64?

    package init(milliseconds: Int64) {
      (unixTime, self.milliseconds) = (Milliseconds.secondsRoundedUp(milliseconds), milliseconds)
    }

    package init(endOfLoss unixTime: Int64) { (self.unixTime, milliseconds) = (unixTime, nil) }
  }

  /// What was accepted.
  public struct Acceptance: Sendable, Hashable {
    /// The step (TOTP), the counter (HOTP), or the number of the recovery code.
    public let movingFactor: UInt64
    /// How many steps the user's clock is ahead, as far as this is known: see ``Policy/driftLimit``.
    public var driftSteps: Int { drift.steps }
    /// The factor's drift from now on.
    let drift: Drift

    package init(movingFactor: UInt64, drift: Drift = Drift()) {
      (self.movingFactor, self.drift) = (movingFactor, drift)
    }
  }

  /// Why a code was not accepted: for the log, never for the client.
  #if hasAttribute(nonexhaustive)
  @nonexhaustive
  #endif
  public enum Reason: UInt8, Sendable, Hashable, CaseIterable {
    /// The text cannot be a code of this factor. It does not count as a failure.
    case malformed = 1
    /// It is not a code of any step or counter that was looked at.
    case wrong = 2
    /// It is the code of a counter or, in the window, of a step that is spent, or a recovery code that was used.
    case replayed = 3
    /// It is the code of a step before the window, up to ten steps ago, spent or not: the user's clock is slow, or the
    /// user was.
    case late = 4
    /// It is the code of a step after the window, up to ten steps ahead; or the factor's first step has not begun.
    case early = 5
    /// The enrollment is not confirmed. It does not count as a failure.
    case pending = 6
    /// The enrollment was confirmed already. It does not count as a failure.
    case confirmed = 7
    /// The policy does not allow resynchronization by time. It does not count as a failure.
    case disabled = 8
    /// No recovery code is left. It does not count as a failure.
    case usedUp = 9

    /// Whether a code was looked at, so that the attempt counts.
    package var isCounted: Bool {
      switch self {
      case .wrong, .replayed, .late, .early: true
      case .malformed, .pending, .confirmed, .disabled, .usedUp: false
      }
    }
  }
}

extension FactorRecord.Answer {
  /// Whether the user may be let in.
  public var isAccepted: Bool {
    if case .accepted = self { true } else { false }
  }
}
