import OTP

extension FactorRecord {
  /// Which codes are accepted, and how many wrong ones.
  ///
  /// Take a new policy at any time: a record keeps none.
  public struct Policy: Sendable, Hashable {
    /// How many steps early or late a TOTP code may be, 0...10.
    public let adjacentSteps: Int
    /// How many steps of clock drift are learned from accepted codes, 0...10.
    public let driftLimit: Int
    /// How many steps early or late consecutive TOTP codes are searched for, 0...1500; with 0, not at all.
    public let resynchronizationSteps: Int
    /// How many HOTP counters ahead a code is searched for, 0...1000.
    public let lookAhead: Int
    /// How many HOTP counters ahead consecutive codes are searched for, 0...1000.
    public let resynchronizationLookAhead: Int
    /// How many wrong codes are tolerated, and how slowly.
    public let attempts: AttemptLimit

    /// A policy, by default that of ``standard``.
    ///
    /// - Parameters:
    ///   - adjacentSteps: How many steps early or late a TOTP code may be, 0...10.
    ///   - driftLimit: How many steps of clock drift are learned from accepted codes, 0...10.
    ///   - resynchronizationSteps: How many steps early or late consecutive TOTP codes are searched for, 0...1500; with
    ///     0, not at all.
    ///   - lookAhead: How many HOTP counters ahead a code is searched for, 0...1000.
    ///   - resynchronizationLookAhead: How many HOTP counters ahead consecutive codes are searched for, 0...1000.
    ///   - attempts: How many wrong codes are tolerated, and how slowly.
    /// - Throws: ``FactorRecordError`` with `outOfRange`.
    public init(
      adjacentSteps: Int = 5, driftLimit: Int = 0, resynchronizationSteps: Int = 1500, lookAhead: Int = 10,
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
      self.adjacentSteps = adjacentSteps
      self.driftLimit = driftLimit
      self.resynchronizationSteps = resynchronizationSteps
      self.lookAhead = lookAhead
      self.resynchronizationLookAhead = resynchronizationLookAhead
      self.attempts = attempts
    }

    /// Codes up to five steps early or late; ten failures lock for an hour, with delays of 1, 2, 4, … 32 seconds from
    /// the fourth.
    public static var standard: Policy { Policy(checked: 5, 0, 1500, 10, 100, .standard) }

    /// Codes at most one step early or late, no look-ahead, no resynchronization; the same limit on attempts.
    public static var strict: Policy { Policy(checked: 1, 0, 0, 0, 0, .standard) }
  }
}
