import FactorRecord
import Foundation
import Keyring

// Reports to the host's handlers.
extension Context {
  /// When the current task's sign-in by a second factor started.
  @TaskLocal static var signInStart: ContinuousClock.Instant?

  /// Reports an event.
  package func record(
    _ kind: AuditEvent.Kind, _ reason: AuditEvent.Reason? = nil, user: String?, factor: String? = nil,
    factorID: String? = nil, recoveryCode: Int? = nil, storeError: FactorStoreError.Kind? = nil,
    diagnosis: FactorRecord.Diagnosis? = nil
  ) {
    guard let handler = handlers.event else { return }
    // That a sign-in has sealed a document again is not its outcome.
    let start = kind == .resealed ? nil : Self.signInStart
    handler(
      AuditEvent(
        date: clock(), kind: kind, reason: reason, userID: user.flatMap(Self.reportedUser),
        factorUID: factor.flatMap(Self.reportedFactor), factorID: factorID, recoveryCodeNumber: recoveryCode,
        storeError: storeError, diagnosis: diagnosis, duration: start.map { $0.duration(to: .now) }))
  }

  /// Reports that a user's handles were revoked, and returns when the host's handler has.
  package func recordRevocation(of userID: String) async {
    record(.handlesRevoked, user: userID)
    await notifyOfRevocation(of: userID)
  }

  /// Notifies the host that a user's handles were revoked, or may have been, and returns when its handler has.
  package func notifyOfRevocation(of userID: String) async {
    guard let revocationHandler = handlers.revocation else { return }
    // In its own task, because a client that disconnects cancels this one.
    await Task { await revocationHandler(userID) }.value
  }

  /// A user's ID for an event; `nil` for an invalid one, which could forge log lines.
  private static func reportedUser(_ userID: String) -> String? { Principal(id: userID).isWellFormed ? userID : nil }

  /// A factor's name for an event: a generated one, 32 hexadecimal digits, or an imported UUID. `nil` for any other
  /// text: it comes from the client and can contain anything, such as a code or a line feed.
  private static func reportedFactor(_ uid: String) -> String? {
    if uid == RecoveryCodeMultiFactorID { return uid }
    let utf8 = Array(uid.utf8.prefix(37))
    func isHexadecimal(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) }
    switch utf8.count {
    case 32: return utf8.allSatisfy(isHexadecimal) ? uid : nil
    case 36:
      let hyphens: Set = [8, 13, 18, 23]
      let isUUID = utf8.indices.allSatisfy {
        hyphens.contains($0) ? utf8[$0] == UInt8(ascii: "-") : isHexadecimal(utf8[$0] | 0x20)
      }
      return isUUID ? uid : nil
    default: return nil
    }
  }
}

// Errors for the client, and the events that report them.
extension Context {
  /// The error for a refusal, which is reported.
  package func refused(_ refusal: Refusal, _ userID: String?) -> AuthError {
    if let event = refusal.event {
      record(
        event, refusal.reason, user: userID, factor: refusal.factorUID, factorID: refusal.kind?.rawValue,
        diagnosis: refusal.diagnosis)
    }
    let reason = refusal.reason.flatMap { [.cryptography, .clock, .spent].contains($0) ? $0 : nil }
    return AuthError(refusal.code, retryAfter: refusal.retryAfter, reason: reason)
  }

  /// The error for a failure of the server, which is reported.
  package func failure(_ error: any Error, user: String?) -> AuthError {
    if let error = error as? AuthError { return error }
    let storeError = error as? FactorStoreError
    let reason: AuditEvent.Reason =
      switch error {
      case is FactorStoreError: .store
      // The request was cancelled; the store did not fail.
      case is CancellationError: .cancelled
      case let error as KeyringError:
        switch error.kind {
        case .randomnessUnavailable: .randomness
        case .cryptographyFailed: .cryptography
        default: .sealing
        }
      case let error as FactorRecordError: AuditEvent.Reason(error)
      // A store may have its own error for a cancelled request.
      default: Task.isCancelled ? .cancelled : .store
      }
    // A cancelled request is not a failure.
    if reason != .cancelled { record(.failed, reason, user: user, storeError: storeError?.kind) }
    return AuthError(.internalError, reason: reason, storeError: storeError)
  }
}
