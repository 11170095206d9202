import FactorRecord
import Foundation
import MultiFactor
import OTP

/// A user as an administrator sees it.
public struct AdministeredUser: Sendable {
  /// The host's ID for the user.
  public let userID: String
  /// Whether the store has an account for the user.
  public let isKnown: Bool
  /// The factors, in the order of their enrollment.
  public let factors: [AdministeredFactor]
  /// How many recovery codes are left.
  public let recoveryCodesRemaining: Int
  /// Whether 100 attempts in a row on the recovery codes have failed: they stay locked until the user makes new ones.
  public let needsNewRecoveryCodes: Bool
  /// How many attempts have failed since the last success, over all factors and recovery codes.
  public let consecutiveFailures: Int
  /// Whether so many attempts have failed that all of them are locked until an administrator unlocks one.
  public let isLocked: Bool
  /// What is or was bound to the account: first what was removed, in the order of removal, then what is bound, in the
  /// order of enrollment, the recovery codes last. The latest 100 removals are kept.
  ///
  /// Source: NIST SP 800-63B-4, section 4.1.
  public let history: [BoundFactor]

  init(_ userID: String, _ account: Account, at time: Date, in context: Context) {
    let configuration = context.configuration
    self.userID = userID
    isKnown = !account.isEmpty
    isLocked = account.isLocked(under: configuration)
    factors = account.factors.map {
      AdministeredFactor($0, context.info(of: $0), of: account, at: time, under: configuration)
    }
    recoveryCodesRemaining = account.recoveryCodes.count
    needsNewRecoveryCodes = account.recovery?.needsNewEnrollment ?? false
    consecutiveFailures = Int(clamping: account.failures)
    let recovery = account.recoveryCodesDate.map {
      BoundFactor(
        uid: RecoveryCodeMultiFactorID, factorID: RecoveryCodeMultiFactorID, enrollmentDate: $0, removalDate: nil)
    }
    history =
      account.pastFactors.map {
        BoundFactor(
          uid: $0.uid, factorID: $0.kind.rawValue, enrollmentDate: $0.enrollmentDate, removalDate: $0.removalDate)
      }
      + account.factors.map {
        BoundFactor(uid: $0.uid, factorID: $0.kind.rawValue, enrollmentDate: $0.enrollmentDate, removalDate: nil)
      } + [recovery].compactMap(\.self)
  }
}

/// A factor, or a set of recovery codes, that is or was bound to an account, and until when.
public struct BoundFactor: Sendable, Hashable {
  /// The factor's name; for recovery codes, `RecoveryCodeMultiFactorID`.
  public let uid: String
  /// Its kind: `TOTPMultiFactorID` and the like, or `RecoveryCodeMultiFactorID`.
  public let factorID: String
  /// When it was enrolled, imported or generated.
  public let enrollmentDate: Date
  /// When it was removed or replaced; `nil` if it is still bound.
  public let removalDate: Date?
}

/// A factor as an administrator sees it.
public struct AdministeredFactor: Sendable {
  /// What its user may know about it, including a phone's number.
  public let info: any MultiFactorInfo
  /// How many attempts have failed since the last success.
  public let consecutiveFailures: Int
  /// How many attempts have ever succeeded.
  public let acceptances: Int
  /// When the latest attempt was made; `nil` if there was none.
  public let lastAttempt: Date?
  /// Whether the next attempt must wait until ``retryAfter``.
  public let isBlocked: Bool
  /// Whether that is a lock, of the factor or of the whole account.
  public let isLocked: Bool
  /// Whether that is because all codes that the app shows until then are spent, since the store has lost changes or a
  /// backup of it was restored: no attempt is counted, and unlocking changes nothing. Otherwise, a lock or delay.
  public let isSpent: Bool
  /// Whether 100 attempts in a row have failed: the factor stays locked until it is removed and enrolled again.
  ///
  /// Source: NIST SP 800-63B-4, section 3.2.2.
  public let needsNewEnrollment: Bool
  /// Until when the next attempt must wait; `nil` if it need not, or if no time ends the lock.
  public let retryAfter: Date?
  /// The hash function; like all that follow, `nil` for an external factor.
  public let algorithm: HashAlgorithm?
  /// How many digits a code has.
  public let digits: OTPCode.Digits?
  /// The steps of a TOTP factor.
  public let timeStep: TimeStep?
  /// The step or counter accepted last, or spent without having been accepted; `nil` until then.
  public let lastAcceptedMovingFactor: UInt64?
  /// How many steps the clock of a TOTP factor is ahead.
  public let driftSteps: Int?
  /// Whether the secret is shorter than 16 bytes.
  public let hasWeakSecret: Bool?

  init(
    _ factor: Factor, _ info: any MultiFactorInfo, of account: Account, at time: Date,
    under configuration: MultiFactorConfiguration
  ) {
    self.info = info
    consecutiveFailures = Int(clamping: factor.attempts.failures)
    acceptances = Int(clamping: factor.attempts.acceptances)
    lastAttempt = factor.attempts.latest.map(Date.init(unixMilliseconds:))
    needsNewEnrollment = factor.attempts.needNewEnrollment
    let record = factor.record
    let lossEnd = record?.lossEnd(at: time.unixSeconds, under: configuration.policy)
    let now = account.accountTime(at: time).unixMilliseconds
    // In the order in which an attempt is refused.
    switch factor.attempts.admission(at: now, under: configuration.attemptLimit) {
    case _ where account.isLocked(under: configuration):
      (isBlocked, isLocked, isSpent, retryAfter) = (true, true, false, nil)
    case .refused(let end, let isLock):
      (isBlocked, isLocked, isSpent, retryAfter) = (true, isLock, false, end.map(Date.init(unixMilliseconds:)))
    case .admitted:
      (isBlocked, isLocked, isSpent) = (lossEnd != nil, false, lossEnd != nil)
      retryAfter = lossEnd.map { Date(timeIntervalSince1970: TimeInterval($0)) }
    }
    (algorithm, digits, timeStep) = (record?.algorithm, record?.digits, record?.timeStep)
    lastAcceptedMovingFactor = record?.lastAcceptedMovingFactor
    driftSteps = timeStep == nil ? nil : record?.driftSteps
    hasWeakSecret = record?.hasWeakSecret
  }
}
