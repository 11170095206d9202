import Foundation

/// A user as an administrator sees it.
public struct AdministeredUser: Sendable {
  /// The host's name for the user.
  public let userID: String
  /// The factors, in the order of their enrolment.
  public let factors: [AdministeredFactor]
  /// How many recovery codes are left.
  public let recoveryCodesRemaining: Int

  init(_ userID: String, _ account: Account, by clock: Date, under policy: AttemptPolicy) {
    self.userID = userID
    factors = account.factors.map { AdministeredFactor($0, at: account.now(by: clock), under: policy) }
    recoveryCodesRemaining = account.recoveryCodes.count
  }
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

  init(_ factor: Factor, at now: Date, under policy: AttemptPolicy) {
    info = factor.info
    consecutiveFailures = Int(clamping: factor.attempts.failures)
    acceptances = Int(clamping: factor.attempts.acceptances)
    lastAttempt = factor.attempts.latest
    switch factor.attempts.admission(at: now, under: policy) {
    case .admitted: (isBlocked, retryAfter) = (false, nil)
    case .refused(let end, _): (isBlocked, retryAfter) = (true, end)
    }
  }
}
