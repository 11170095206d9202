import Foundation

/// Where everything that happens is told: to listeners, to the log, to the metrics.
struct EventHub: Sendable {
  let clock: @Sendable () -> Date
  /// What writes events to the log and the metrics; `nil` without the trait `Observability`.
  let log: (@Sendable (AuditEvent) -> Void)?

  let auditEvents = Broadcaster<AuditEvent>()
  let stateChanges = Broadcaster<AuthStateChange>()

  /// Tells of an event.
  func record(
    _ kind: AuditEvent.Kind, _ reason: AuditEvent.Reason? = nil, user: String?, factor: String? = nil,
    factorID: String? = nil
  ) {
    func event() -> AuditEvent {
      AuditEvent(
        date: clock(), kind: kind, reason: reason, userID: user, factorUID: factor.flatMap(FactorName.told),
        factorID: factorID)
    }
    if let log { log(event()) }
    auditEvents.send(event())
  }
}
