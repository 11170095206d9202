import Foundation

/// That a rule says no: what the client is told, and what the operator.
///
/// To the client, whatever was wrong with a code is one and the same; the audit event has the reason.
struct Refusal: Error, Sendable, Hashable {
  let code: AuthError.Code
  /// The event that reports it, if one does.
  let event: AuditEvent.Kind?
  let reason: AuditEvent.Reason?
  let factorUID: String?
  let kind: FactorKind?
  /// From when on it is worth trying again.
  let retryAfter: Date?

  init(
    _ code: AuthError.Code, _ event: AuditEvent.Kind? = nil, _ reason: AuditEvent.Reason? = nil,
    _ factorUID: String? = nil, _ kind: FactorKind? = nil, retryAfter: Date? = nil
  ) {
    self.code = code
    self.event = event
    self.reason = reason
    self.factorUID = factorUID
    self.kind = kind
    self.retryAfter = retryAfter
  }

  /// The user's handles were revoked.
  static let revoked = Refusal(.userTokenExpired, .tokenRefused, .revoked)

  /// A kind of factor, or all of them, is not enabled.
  static func disabled(_ kind: FactorKind?) -> Refusal {
    Refusal(.operationNotAllowed, .operationRefused, .disabled, nil, kind)
  }

  /// A code, at a sign-in, is not accepted.
  static func code(_ reason: AuditEvent.Reason, _ uid: String, _ kind: FactorKind) -> Refusal {
    Refusal(.invalidVerificationCode, .codeRefused, reason, uid, kind)
  }

  /// A code, at an enrolment, is not accepted.
  static func enrollmentCode(_ reason: AuditEvent.Reason, _ uid: String?, _ kind: FactorKind) -> Refusal {
    Refusal(.invalidVerificationCode, .enrollmentRefused, reason, uid, kind)
  }

  /// The code of a text message is not accepted.
  static func message(_ reason: AuditEvent.Reason, for purpose: Challenge.Purpose) -> Refusal {
    if case .signIn(let uid) = purpose { code(reason, uid, .phone) } else { enrollmentCode(reason, nil, .phone) }
  }

  /// A code could not be compared: the server has failed, not the user.
  static func uncompared(_ uid: String, _ kind: FactorKind) -> Refusal {
    Refusal(.internalError, .failed, .cryptography, uid, kind)
  }

  /// The factor waits, or is locked.
  static func wait(until end: Date?, isLock: Bool, _ uid: String, _ kind: FactorKind) -> Refusal {
    Refusal(.tooManyRequests, .attemptRefused, isLock ? .locked : .delayed, uid, kind, retryAfter: end)
  }
}
