import Foundation

/// A user as an administrator sees it.
public struct AdministeredUser: Sendable {
  /// The host's name for the user.
  public let userID: String
  /// The factors, in the order of their enrolment.
  public let factors: [AdministeredFactor]
  /// How many recovery codes are left.
  public let recoveryCodesRemaining: Int
  /// How many attempts failed since the last success, over all factors and recovery codes.
  public let consecutiveFailures: Int
  /// Whether there were so many that all of them are locked until an administrator unlocks one.
  public let isLocked: Bool
  /// What is or was bound to the account: first what is not any more, in the order of its removal, then what is, in the
  /// order of its enrolment, the recovery codes last. Of what was removed, the latest 100 are kept.
  ///
  /// Source: NIST SP 800-63B-4, section 4.1.
  public let record: [FactorRecord]

  init(_ userID: String, _ account: Account, by clock: Date, under policy: AttemptPolicy) {
    self.userID = userID
    let isLocked = account.isLocked(under: policy)
    factors = account.factors.map {
      AdministeredFactor($0, at: account.now(by: clock), under: policy, isLocked: isLocked)
    }
    recoveryCodesRemaining = account.recoveryCodes.count
    consecutiveFailures = Int(clamping: account.failures)
    self.isLocked = isLocked
    let recovery = account.recoveryCodesDate.map {
      FactorRecord(
        uid: RecoveryCodeMultiFactorID, factorID: RecoveryCodeMultiFactorID, enrollmentDate: $0, removalDate: nil)
    }
    record =
      account.pastFactors.map {
        FactorRecord(
          uid: $0.uid, factorID: $0.kind.rawValue, enrollmentDate: $0.enrollmentDate, removalDate: $0.removalDate)
      }
      + account.factors.map {
        FactorRecord(uid: $0.uid, factorID: $0.kind.rawValue, enrollmentDate: $0.enrollmentDate, removalDate: nil)
      } + [recovery].compactMap(\.self)
  }
}

/// That a factor, or a set of recovery codes, was bound to an account, and until when.
public struct FactorRecord: Sendable, Hashable {
  /// The factor's name; of recovery codes, ``RecoveryCodeMultiFactorID``.
  public let uid: String
  /// Its kind: ``TOTPMultiFactorID`` and the like, or ``RecoveryCodeMultiFactorID``.
  public let factorID: String
  /// When it was enrolled, imported or made.
  public let enrollmentDate: Date
  /// When it was removed or replaced; `nil` where it is bound still.
  public let removalDate: Date?
}

/// A factor as an administrator sees it.
public struct AdministeredFactor: Sendable {
  /// What its user may know of it, a phone's number included.
  public let info: any MultiFactorInfo
  /// How many attempts failed since the last success.
  public let consecutiveFailures: Int
  /// How many attempts ever succeeded.
  public let acceptances: Int
  /// When the latest attempt was made, or `nil`.
  public let lastAttempt: Date?
  /// Whether the next attempt has to wait: until ``retryAfter``.
  public let isBlocked: Bool
  /// Until when the next attempt has to wait; `nil` where it has not, or where only an administrator can unlock.
  public let retryAfter: Date?

  init(_ factor: Factor, at now: Date, under policy: AttemptPolicy, isLocked: Bool) {
    info = factor.info
    consecutiveFailures = Int(clamping: factor.attempts.failures)
    acceptances = Int(clamping: factor.attempts.acceptances)
    lastAttempt = factor.attempts.latest
    switch factor.attempts.admission(at: now, under: policy) {
    case _ where isLocked: (isBlocked, retryAfter) = (true, nil)
    case .admitted: (isBlocked, retryAfter) = (false, nil)
    case .refused(let end, _): (isBlocked, retryAfter) = (true, end)
    }
  }
}
