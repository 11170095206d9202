import FactorRecord
import Foundation
import Keyring
import OTP

/// Reports to the host's handlers, by its clock, and makes the errors that clients get.
package final class Events: Sendable {
  let handlers: MultiFactorHandlers
  private let clock: @Sendable () -> Date
  /// The loss that was reported last.
  private let knownLoss: Locked<Date?>

  /// - Parameter store: Its loss is reported, if it is new.
  init(_ handlers: MultiFactorHandlers, clock: @escaping @Sendable () -> Date, of store: any FactorStore) {
    self.handlers = handlers
    self.clock = clock
    let old = store.lossDate.flatMap { $0 < clock().addingTimeInterval(-Self.reportedLossAge) ? $0 : nil }
    knownLoss = Locked(old)
    reportLoss(of: store)
  }

  /// How old a loss may be when this process begins, to be reported: a day, in seconds.
  private static let reportedLossAge: TimeInterval = 86_400

  /// The time, to the millisecond: documents keep no finer. A time that no record takes, or a NaN, is treated as a
  /// clock that is far behind.
  package func now() -> Date {
    let (seconds, range) = (clock().timeIntervalSince1970, Milliseconds.range)
    guard seconds >= Double(range.lowerBound), seconds < Double(range.upperBound) else { return .distantPast }
    return Date(timeIntervalSince1970: (seconds * 1000).rounded(.down) / 1000)
  }

  /// Reports an event.
  ///
  /// - Parameter start: When the sign-in by a second factor started whose outcome this is.
  package func record(
    _ kind: AuditEvent.Kind, _ reason: AuditEvent.Reason? = nil, user: String?, factor: String? = nil,
    factorID: String? = nil, recoveryCode: Int? = nil, storeError: FactorStoreError.Kind? = nil,
    diagnosis: FactorRecord.Diagnosis? = nil, since start: ContinuousClock.Instant? = nil
  ) {
    guard let handler = handlers.event else { return }
    handler(
      AuditEvent(
        date: clock(), kind: kind, reason: reason, userID: user.flatMap(Self.reportedUser),
        factorUID: factor.flatMap(Self.reportedFactor), factorID: factorID, recoveryCodeNumber: recoveryCode,
        storeError: storeError, diagnosis: diagnosis, duration: start.map { $0.duration(to: .now) }))
  }

  /// Reports once that the store may have lost changes.
  ///
  /// - Returns: Up to when.
  @discardableResult
  package func reportLoss(of store: any FactorStore) -> Date? {
    let date = store.lossDate
    let isNew = knownLoss.withLock { known in
      defer { known = date }
      return date != nil && date != known
    }
    if isNew { record(.changesLost, user: nil) }
    return date
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
    let isGenerated =
      uid.utf8.count == 32 && uid.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    // UUID also reads a text with white space between its digits.
    return isGenerated || UUID(uuidString: uid)?.uuidString == uid.uppercased() ? uid : nil
  }
}

// Errors for the client, and the events that report them.
extension Events {
  /// The error for the client, which is reported. An ``AuthError`` is passed on as it is.
  ///
  /// - Parameter start: As in ``record(_:_:user:factor:factorID:recoveryCode:storeError:diagnosis:since:)``.
  package func error(for error: any Error, _ userID: String?, since start: ContinuousClock.Instant? = nil) -> AuthError
  {
    switch error {
    case let error as AuthError: return error
    case let refusal as Refusal: return refused(refusal, userID, since: start)
    default:
      let storeError = error as? FactorStoreError
      let reason = Self.reason(for: error)
      // A cancelled request is not a failure.
      if reason != .cancelled {
        record(.failed, reason, user: userID, storeError: storeError?.kind, since: start)
      }
      return AuthError(.internalError, reason: reason, storeError: storeError)
    }
  }

  /// The error for a refusal, which is reported.
  package func refused(
    _ refusal: Refusal, _ userID: String?, since start: ContinuousClock.Instant? = nil
  ) -> AuthError {
    if let event = refusal.event {
      record(
        event, refusal.reason, user: userID, factor: refusal.factorUID, factorID: refusal.kind?.rawValue,
        diagnosis: refusal.diagnosis, since: start)
    }
    let isForClient =
      refusal.code == .internalError || refusal.code == .tooManyRequests && refusal.reason == .spent
    return AuthError(refusal.code, retryAfter: refusal.retryAfter, reason: isForClient ? refusal.reason : nil)
  }

  /// Why an operation failed.
  private static func reason(for error: any Error) -> AuditEvent.Reason {
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
    case is OTPError: .cryptography
    // A store may have its own error for a cancelled request.
    default: Task.isCancelled ? .cancelled : .store
    }
  }
}
