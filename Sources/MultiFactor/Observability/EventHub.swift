import Foundation

/// Where everything that happens is reported: to listeners, and to the host's handler.
struct EventHub: Sendable {
  let clock: @Sendable () -> Date
  let handler: (@Sendable (AuditEvent) -> Void)?

  let auditEvents = Broadcaster<AuditEvent>()
  let stateChanges = Broadcaster<AuthStateChange>()

  /// Reports an event.
  func record(
    _ kind: AuditEvent.Kind, _ reason: AuditEvent.Reason? = nil, user: String?, factor: String? = nil,
    factorID: String? = nil
  ) {
    func event() -> AuditEvent {
      AuditEvent(
        date: clock(), kind: kind, reason: reason, userID: user, factorUID: factor.flatMap(Self.reported),
        factorID: factorID)
    }
    if let handler { handler(event()) }
    auditEvents.send(event())
  }

  /// Reports that a user's handles were revoked.
  func recordRevocation(of userID: String) {
    record(.handlesRevoked, user: userID)
    stateChanges.send(.revoked(userID: userID))
  }

  /// A factor's name for an event, `nil` for a text that is the name of none: a client names the factor, and can write
  /// there whatever it likes, its code too.
  private static func reported(_ uid: String) -> String? {
    if uid == RecoveryCodeMultiFactorID { return uid }
    let utf8 = uid.utf8.prefix(33)
    let isName = utf8.count == 32 && utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    return isName ? uid : nil
  }
}
