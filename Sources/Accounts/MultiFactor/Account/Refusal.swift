import FactorRecord
import Foundation

/// A rule's refusal: what the client sees, and what the operator sees.
///
/// The client cannot tell what was wrong with a code; the audit event has the reason.
package struct Refusal: Error, Sendable, Hashable {
  let code: AuthError.Code
  /// The event that reports it, if one does.
  let event: AuditEvent.Kind?
  let reason: AuditEvent.Reason?
  let factorUID: String?
  let kind: FactorKind?
  /// The time from which it is worth trying again.
  let retryAfter: Date?
  /// What explains a code that does not confirm an enrollment.
  let diagnosis: FactorRecord.Diagnosis?

  package init(
    _ code: AuthError.Code, _ event: AuditEvent.Kind? = nil, _ reason: AuditEvent.Reason? = nil,
    _ factorUID: String? = nil, _ kind: FactorKind? = nil, retryAfter: Date? = nil,
    diagnosis: FactorRecord.Diagnosis? = nil
  ) {
    self.code = code
    self.event = event
    self.reason = reason
    self.factorUID = factorUID
    self.kind = kind
    self.retryAfter = retryAfter
    self.diagnosis = diagnosis
  }

  /// The user's handles were revoked.
  static let revoked = Refusal(.userTokenExpired, .tokenRefused, .revoked)

  /// A kind of factor, or all of them, is not enabled.
  package static func disabled(_ kind: FactorKind?) -> Refusal {
    Refusal(.operationNotAllowed, .operationRefused, .disabled, nil, kind)
  }

  /// The user has no such factor.
  static func notFound(_ uid: String, _ kind: FactorKind) -> Refusal {
    Refusal(.multiFactorInfoNotFound, .codeRefused, .notFound, uid, kind)
  }

  /// A code is not accepted at a sign-in.
  package static func code(_ reason: AuditEvent.Reason, _ uid: String, _ kind: FactorKind) -> Refusal {
    Refusal(.invalidVerificationCode, .codeRefused, reason, uid, kind)
  }

  /// A code is not accepted at an enrollment.
  package static func enrollmentCode(
    _ reason: AuditEvent.Reason, _ uid: String?, _ kind: FactorKind, _ diagnosis: FactorRecord.Diagnosis? = nil
  ) -> Refusal {
    Refusal(.invalidVerificationCode, .enrollmentRefused, reason, uid, kind, diagnosis: diagnosis)
  }

  /// A code or secret could not be compared: the failure is the server's, not the user's.
  static func uncompared(
    _ uid: String?, _ kind: FactorKind, _ reason: AuditEvent.Reason = .cryptography
  ) -> Refusal {
    Refusal(.internalError, .failed, reason, uid, kind)
  }

  /// A service of the host's has failed, or the client has disconnected, which cancels the service's work.
  package static func serviceFailed(
    _ reason: AuditEvent.Reason, _ event: AuditEvent.Kind, _ kind: FactorKind, _ uid: String? = nil
  ) -> Refusal {
    Refusal(.internalError, event, Task.isCancelled ? .cancelled : reason, uid, kind)
  }

  /// The factor must wait, or is locked.
  package static func wait(until end: Date?, isLock: Bool, _ uid: String, _ kind: FactorKind) -> Refusal {
    Refusal(.tooManyRequests, .attemptRefused, isLock ? .locked : .delayed, uid, kind, retryAfter: end)
  }

  /// All codes that the app shows until then are spent.
  static func spent(until end: Int64, _ uid: String, _ kind: FactorKind) -> Refusal {
    let end = Date(timeIntervalSince1970: TimeInterval(end))
    return Refusal(.tooManyRequests, .attemptRefused, .spent, uid, kind, retryAfter: end)
  }
}
