#if Observability
import Logging
import Metrics

/// Writes audit events to swift-log and counts them with swift-metrics.
///
/// Log lines have the event's name as their message and the rest as metadata. The counter is
/// `otp_multifactor_events_total`, with the dimensions `event`, `reason` and `factor`.
struct EventLog: Sendable {
  let logger: Logger

  /// The counters, made once for each combination of dimensions: some metrics systems make each a costly object.
  private let counters = Locked([Key: Counter]())

  private struct Key: Hashable {
    let kind: AuditEvent.Kind
    let reason: AuditEvent.Reason?
    let factorID: String?
  }

  init(logger: Logger) { self.logger = logger }

  func record(_ event: AuditEvent) {
    logger.log(level: Self.level(of: event), "\(event.kind.rawValue)", metadata: Self.metadata(of: event))
    counter(for: event).increment()
  }

  private func counter(for event: AuditEvent) -> Counter {
    let key = Key(kind: event.kind, reason: event.reason, factorID: event.factorID)
    return counters.withLock { counters in
      if let counter = counters[key] { return counter }
      let counter = Counter(
        label: "otp_multifactor_events_total",
        dimensions: [
          ("event", event.kind.rawValue), ("reason", event.reason?.rawValue ?? "none"),
          ("factor", event.factorID ?? "none"),
        ])
      counters[key] = counter
      return counter
    }
  }

  private static func level(of event: AuditEvent) -> Logger.Level {
    switch event.kind {
    case .failed: .error
    case .attemptRefused: event.reason == .locked ? .warning : .notice
    case .codeRefused, .enrollmentRefused, .messageRefused, .operationRefused, .tokenRefused: .notice
    case .handlesRevoked, .imported, .overwritten, .unlocked: .notice
    case .secondFactorRequired, .resealed: .debug
    case .signedIn, .signedInWithoutSecondFactor, .enrolled, .unenrolled, .messageSent, .recoveryCodesReplaced: .info
    }
  }

  private static func metadata(of event: AuditEvent) -> Logger.Metadata {
    var metadata: Logger.Metadata = [:]
    if let reason = event.reason { metadata["reason"] = "\(reason.rawValue)" }
    if let userID = event.userID { metadata["user"] = "\(userID)" }
    if let factorUID = event.factorUID { metadata["factor_uid"] = "\(factorUID)" }
    if let factorID = event.factorID { metadata["factor"] = "\(factorID)" }
    return metadata
  }
}
#endif
