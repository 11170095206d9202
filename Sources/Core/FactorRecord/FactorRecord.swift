import Keyring
import OTP

/// All that a server must remember about one factor whose codes it can compute: its secret and parameters, what was
/// accepted last, and the failed attempts.
///
/// A record is a value. Its functions take the time as a parameter and do no I/O. A server keeps it, sealed by a
/// `Keyring` and bound to its user, in one column of a table that it already has, and follows one rule:
///
/// > Replace the record that you read with the one that you got, if it is still there; answer only if that succeeded;
/// > otherwise read again.
///
/// ```swift
/// var record = try FactorRecord(sealed: column, by: keyring, for: "user 42")
/// let answer = try record.verify(typed, at: now)
/// let new = try record.sealed(by: keyring, for: "user 42")
/// // UPDATE users SET otp = new WHERE id = 42 AND otp = column
/// // One row: answer. None: read again.
/// ```
///
/// Replay, counting, delays, locks, the confirmation of an enrollment and the change of keys all follow from it.
///
/// The record's time never runs backward: delays and locks count from the latest attempt, whichever machine's clock
/// dated it. Only TOTP codes are checked by the time that is given; accepted ones are spent by their step.
///
/// All times are Unix times in seconds, from 2000 to 2199 (UTC). A record is redacted, and its secret is wiped when the
/// last copy is released.
public struct FactorRecord: Sendable {
  /// The kind of factor that a record is of.
  @frozen public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
    /// Codes by time (RFC 6238).
    case totp = 1
    /// Codes by counter (RFC 4226).
    case hotp = 2
    /// A set of recovery codes, each for one use.
    case recoveryCodes = 3
  }

  /// What codes are checked against.
  package enum Content: Sendable, Equatable {
    case secret(FactorSecret)
    /// The codes, in the order of their numbers.
    case recoveryCodes([RecoveryCode])
  }

  package var content: Content
  /// Whether no code has confirmed the enrollment yet. Until then, no one can sign in with the factor.
  public package(set) var isPending: Bool
  /// When it was enrolled, or began to be, in milliseconds since 1970.
  package var enrollmentMilliseconds: Int64
  /// The step or counter accepted last: only later ones are accepted.
  package var lastAccepted: UInt64?
  /// Whether it was accepted or spent here; otherwise, an import has stated it.
  package var hasAccepted = false
  /// How many steps the user's clock is ahead.
  package var drift = Drift()
  package var attempts = Attempts()
  /// Up to when all codes were spent after a loss of changes, in seconds since 1970.
  package var lossTime: Int64?
  /// What was spent of the secrets that this one has replaced.
  package var spentSecrets: [SpentSecret] = []
  /// What the record was opened from.
  var origin: Origin?

  package init(
    _ content: Content, isPending: Bool, enrollmentMilliseconds: Int64, lastAccepted: UInt64? = nil
  ) {
    self.content = content
    self.isPending = isPending
    self.enrollmentMilliseconds = enrollmentMilliseconds
    self.lastAccepted = lastAccepted
  }
}

extension FactorRecord: Equatable {
  /// Whether two records have the same contents, whatever they were opened from.
  ///
  /// Timing: does not depend on the secrets' bytes.
  public static func == (left: FactorRecord, right: FactorRecord) -> Bool {
    left.content == right.content && left.isPending == right.isPending
      && left.enrollmentMilliseconds == right.enrollmentMilliseconds && left.lastAccepted == right.lastAccepted
      && left.hasAccepted == right.hasAccepted && left.drift == right.drift && left.attempts == right.attempts
      && left.lossTime == right.lossTime && left.spentSecrets == right.spentSecrets
  }
}

// What an operator may see.
extension FactorRecord {
  /// The kind of factor.
  public var kind: Kind {
    switch content {
    case .secret(let secret): secret.isTimeBased ? .totp : .hotp
    case .recoveryCodes: .recoveryCodes
    }
  }

  /// The hash function; `nil` for recovery codes.
  public var algorithm: HashAlgorithm? { secret?.algorithm }
  /// How many digits a code has; `nil` for recovery codes.
  public var digits: OTPCode.Digits? { secret?.digits }
  /// The steps of a TOTP factor.
  public var timeStep: TimeStep? { kind == .totp ? secret?.timeStep : nil }
  /// Whether the secret is shorter than the 16 bytes that RFC 4226, section 4 (R6), requires.
  public var hasWeakSecret: Bool { secret?.secret.isWeak ?? false }
  /// The step or counter accepted last, or spent without having been accepted.
  public var lastAcceptedMovingFactor: UInt64? { lastAccepted }
  /// How many steps the user's clock is ahead, as found by resynchronization and learned from accepted codes.
  public var driftSteps: Int { drift.steps }
  /// How many attempts have failed since the last success.
  public var failures: Int { Int(clamping: attempts.failures) }
  /// How many attempts have ever succeeded.
  public var acceptances: Int { Int(clamping: attempts.acceptances) }
  /// When the enrollment was confirmed, or, if it is pending, began.
  public var enrollmentTime: Int64 { Milliseconds.seconds(enrollmentMilliseconds) }
  /// When the latest attempt was counted.
  public var lastAttemptTime: Int64? { attempts.latest.map(Milliseconds.seconds) }
  /// The numbers of the unused recovery codes, from 1.
  public var unusedRecoveryCodes: [Int] {
    if case .recoveryCodes(let codes) = content { codes.filter { !$0.isUsed }.map { Int($0.number) } } else { [] }
  }

  /// Whether an attempt may be made at a time, as if by an answer: `nil` if it may, or `wait` or `locked`.
  ///
  /// - Throws: ``FactorRecordError`` with `invalidTime`.
  public func refusal(
    at unixTime: Int64, under policy: Policy = .standard
  ) throws(FactorRecordError) -> Answer? {
    refusal(now: now(try Milliseconds.of(unixTime)), under: policy.attempts)
  }

  /// Whether 100 attempts in a row have failed: the factor stays locked, and only a new enrollment helps. One that is
  /// pending is that enrollment.
  ///
  /// Source: NIST SP 800-63B-4, section 3.2.2.
  public var needsNewEnrollment: Bool { !isPending && attempts.needNewEnrollment }

  /// The secret with its parameters, unless these are recovery codes.
  package var secret: FactorSecret? { if case .secret(let secret) = content { secret } else { nil } }

  /// The record's time, by a clock: never before the latest attempt.
  func now(_ clock: Int64) -> Int64 { max(clock, attempts.latest ?? .min) }

  func refusal(now: Int64, under limit: AttemptLimit) -> Answer? {
    guard case .refused(let end, let isLock) = attempts.admission(at: now, under: limit) else { return nil }
    let time = end.map(RetryTime.init(milliseconds:))
    guard !isLock, let time else { return .locked(until: time) }
    return .wait(until: time)
  }
}

/// How many steps the clock of a TOTP factor is ahead.
package struct Drift: Sendable, Hashable {
  /// As found by resynchronization with consecutive codes.
  package var found = 0
  /// As learned from accepted codes since then, in addition.
  package var learned = 0

  var steps: Int { found &+ learned }

  package init(found: Int = 0, learned: Int = 0) { (self.found, self.learned) = (found, learned) }
}

/// Times in milliseconds since 1970, as the record keeps them.
package enum Milliseconds {
  /// The seconds since 1970 that a record takes: from 2000-01-01 to before 2200-01-01 (UTC).
  package static var range: Range<Int64> { 946_684_800..<7_258_118_400 }

  /// The milliseconds of a Unix time in seconds.
  ///
  /// - Throws: ``FactorRecordError`` with `invalidTime`: a record would remember a wild time, and wait for it.
  static func of(_ seconds: Int64) throws(FactorRecordError) -> Int64 {
    guard range ~= seconds else { throw FactorRecordError(.invalidTime) }
    return seconds * 1000
  }

  /// The seconds, rounded down.
  package static func seconds(_ milliseconds: Int64) -> Int64 {
    milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0)
  }

  /// The seconds, rounded up: by then, at least as many milliseconds have passed.
  static func secondsRoundedUp(_ milliseconds: Int64) -> Int64 {
    milliseconds / 1000 + (milliseconds % 1000 > 0 ? 1 : 0)
  }
}

extension FactorRecord: Redacted {
  package var redactedDescription: String { "FactorRecord(redacted)" }

  /// A fixed text that reveals nothing of the record.
  public var description: String { redactedDescription }
}
