import OTP

extension FactorRecord {
  /// Which codes are accepted, and how many wrong ones.
  ///
  /// Take a new policy at any time: a record keeps none.
  public struct Policy: Sendable, Hashable {
    /// How many steps early or late a TOTP code may be, 0...10, by the user's clock as far as its drift is known.
    public let adjacentSteps: Int
    /// How many steps of clock drift are learned from accepted codes, 0...10, beyond what resynchronization has found.
    /// Each accepted code replaces what was learned, and the next may be ``adjacentSteps`` from there.
    public let driftLimit: Int
    /// How many steps early or late consecutive TOTP codes are searched for, 0...1500; with 0, not at all.
    public let resynchronizationSteps: Int
    /// How many HOTP counters ahead a code is searched for, 0...1000.
    public let lookAhead: Int
    /// How many HOTP counters ahead consecutive codes are searched for, 0...1000.
    public let resynchronizationLookAhead: Int
    /// How many wrong codes are tolerated, and how slowly.
    public let attempts: AttemptLimit

    /// A policy, by default that of ``standard``. Each parameter is the property of its name, with its range.
    ///
    /// - Throws: ``FactorRecordError`` with `outOfRange`.
    public init(
      adjacentSteps: Int = 1, driftLimit: Int = 5, resynchronizationSteps: Int = 1500, lookAhead: Int = 10,
      resynchronizationLookAhead: Int = 100, attempts: AttemptLimit = .standard
    ) throws(FactorRecordError) {
      guard 0...10 ~= adjacentSteps, 0...10 ~= driftLimit,
        0...TOTP.maximumResynchronizationSteps ~= resynchronizationSteps, 0...1000 ~= lookAhead,
        0...1000 ~= resynchronizationLookAhead
      else { throw FactorRecordError(.outOfRange) }
      self.init(
        checked: adjacentSteps, driftLimit, resynchronizationSteps, lookAhead, resynchronizationLookAhead, attempts)
    }

    /// A policy of values that are in range.
    package init(
      checked adjacentSteps: Int, _ driftLimit: Int, _ resynchronizationSteps: Int, _ lookAhead: Int,
      _ resynchronizationLookAhead: Int, _ attempts: AttemptLimit
    ) {
      (self.adjacentSteps, self.driftLimit) = (adjacentSteps, driftLimit)
      (self.resynchronizationSteps, self.lookAhead) = (resynchronizationSteps, lookAhead)
      (self.resynchronizationLookAhead, self.attempts) = (resynchronizationLookAhead, attempts)
    }

    /// TOTP codes one step early or late (RFC 6238, section 5.2); ten failures lock for an hour, with delays of 1, 2,
    /// 4, … 32 seconds from the fourth.
    ///
    /// Three codes are right at any moment: a guess of six digits has odds of 1 in 333,333. Each accepted code moves
    /// the window's middle to its step, up to five steps from the server's time (section 6), so a clock that goes wrong
    /// by at most a step from one sign-in to the next gets in until it is six steps off, three minutes. If it is
    /// further off, or jumps, the user sets it, or submits two codes (``FactorRecord/resynchronize(_:at:under:)``).
    ///
    /// A clock that is two steps off or more cannot confirm an enrollment. ``FactorRecord/diagnose(_:at:)`` says how
    /// far it is off: have the user set it. If that is impossible, confirm under a wider policy, then resynchronize.
    public static var standard: Policy { Policy(checked: 1, 5, 1500, 10, 100, .standard) }

    /// As ``standard``, without learned drift, look-ahead and resynchronization: only a code of the current step or one
    /// beside it, or of the next counter, is right, whatever was accepted before; but by the user's clock if it was
    /// resynchronized under another policy. After a loss of changes (``FactorRecord/spend(until:under:)``), users wait
    /// for a minute instead of three and a half.
    public static var strict: Policy { Policy(checked: 1, 0, 0, 0, 0, .standard) }
  }
}
