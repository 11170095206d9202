import Foundation

/// A user as an administrator sees it.
public struct AdministeredUser: Sendable {
  /// The host's name for the user.
  public let userID: String
  /// The factors, in the order of their enrolment.
  public let factors: [AdministeredFactor]
  /// How many recovery codes are left.
  public let recoveryCodesRemaining: Int
}

/// A factor as an administrator sees it.
public struct AdministeredFactor: Sendable {
  /// What a client may know of it.
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

  init(info: any MultiFactorInfo, attempts: AttemptState, policy: AttemptPolicy, now: Date) {
    self.info = info
    consecutiveFailures = Int(clamping: attempts.consecutiveFailures)
    acceptances = Int(clamping: attempts.acceptances)
    lastAttempt = attempts.lastAttempt
    var next = attempts
    if case .refused(let retryAfter) = next.reserve(at: now, under: policy) {
      isBlocked = true
      self.retryAfter = retryAfter
    } else {
      isBlocked = false
      retryAfter = nil
    }
  }
}
