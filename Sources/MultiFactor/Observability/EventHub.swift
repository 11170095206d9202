import Foundation

/// Where everything that happens is reported: to listeners, and to the host's handler.
struct EventHub: Sendable {
  let clock: @Sendable () -> Date
  let handler: (@Sendable (AuditEvent) -> Void)?
  let revocationHandler: (@Sendable (String) async -> Void)?

  let auditEvents = Broadcaster<AuditEvent>()
  let stateChanges = Broadcaster<AuthStateChange>()

  /// Reports an event.
  func record(
    _ kind: AuditEvent.Kind, _ reason: AuditEvent.Reason? = nil, user: String?, factor: String? = nil,
    factorID: String? = nil, recoveryCode: Int? = nil
  ) {
    func event() -> AuditEvent {
      AuditEvent(
        date: clock(), kind: kind, reason: reason, userID: user.flatMap(Self.reportedUser),
        factorUID: factor.flatMap(Self.reportedFactor), factorID: factorID, recoveryCodeNumber: recoveryCode)
    }
    if let handler { handler(event()) }
    auditEvents.send(event())
  }

  /// Reports that a user's handles were revoked, and returns when the host has dealt with it.
  func recordRevocation(of userID: String) async {
    record(.handlesRevoked, user: userID)
    stateChanges.send(.revoked(userID: userID))
    await tellRevocation(of: userID)
  }

  /// Tells the host that a user's handles were revoked, or may have been, and returns when it has dealt with it.
  func tellRevocation(of userID: String) async {
    guard let revocationHandler else { return }
    // In a task of its own: a client that hangs up ends this one.
    await Task { await revocationHandler(userID) }.value
  }

  /// A user's name for an event, `nil` for a text that is the name of none: a line of a log could be forged by it.
  private static func reportedUser(_ userID: String) -> String? { Principal(id: userID).isWellFormed ? userID : nil }

  /// A factor's name for an event, `nil` for a text that is the name of none: a client names the factor, and can write
  /// there whatever it likes, its code too.
  private static func reportedFactor(_ uid: String) -> String? {
    if uid == RecoveryCodeMultiFactorID { return uid }
    let utf8 = uid.utf8.prefix(33)
    let isName = utf8.count == 32 && utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    return isName ? uid : nil
  }
}
