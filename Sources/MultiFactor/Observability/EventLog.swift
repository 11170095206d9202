#if Observability
import CoreMetrics
import Logging
import Metrics

/// Writes audit events to swift-log and counts them with swift-metrics.
///
/// Log lines have the event's name as their message and the rest as metadata. The counter is
/// `otp_multifactor_events_total`, with the dimensions `event`, `reason` and `factor`; and the timer of sign-ins by a second
/// factor `otp_multifactor_sign_in_duration`, with the same ones: how long each outcome has taken.
public struct EventLog: Sendable {
  private let logger: Logger

  /// The metrics, made once for each combination of dimensions: some systems make each a costly object.
  private let metrics = Locked([Key: Metrics]())

  private struct Key: Hashable {
    let kind: AuditEvent.Kind
    let reason: AuditEvent.Reason?
    let factorID: String?
  }

  private struct Metrics {
    let counter: Counter
    /// `nil` for what is not the outcome of a sign-in.
    var timer: CoreMetrics.Timer?
  }

  /// A log, and the counters of the process's swift-metrics.
  public init(logger: Logger) { self.logger = logger }

  /// Logs and counts an event: what ``MultiFactorAuth`` takes as its event handler.
  public func record(_ event: AuditEvent) {
    logger.log(level: Self.level(of: event), "\(event.kind.rawValue)", metadata: Self.metadata(of: event))
    let metrics = metrics(for: event)
    metrics.counter.increment()
    if let duration = event.duration { metrics.timer?.record(duration: duration) }
  }

  private func metrics(for event: AuditEvent) -> Metrics {
    let key = Key(kind: event.kind, reason: event.reason, factorID: event.factorID)
    let dimensions = [
      ("event", event.kind.rawValue), ("reason", event.reason?.rawValue ?? "none"),
      ("factor", event.factorID ?? "none"),
    ]
    return metrics.withLock { all in
      var metrics =
        all[key]
        ?? Metrics(counter: Counter(label: "otp_multifactor_events_total", dimensions: dimensions))
      if event.duration != nil, metrics.timer == nil {
        metrics.timer = CoreMetrics.Timer(label: "otp_multifactor_sign_in_duration", dimensions: dimensions)
      }
      all[key] = metrics
      return metrics
    }
  }

  private static func level(of event: AuditEvent) -> Logger.Level {
    switch event.kind {
    case .failed: .error
    case .exported: .warning
    case .attemptRefused: event.reason == .locked ? .warning : .notice
    case .codeRefused, .enrollmentRefused, .messageRefused, .operationRefused, .tokenRefused: .notice
    case .handlesRevoked, .imported, .overwritten, .unlocked, .userDeleted: .notice
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
    if let number = event.recoveryCodeNumber { metadata["recovery_code"] = "\(number)" }
    return metadata
  }
}
#else
/// The log's name while its trait is off, so that the compiler says what is missing.
@available(*, unavailable, message: "needs swift-otp's trait Observability: .package(…, traits: [\"Observability\"])")
public struct EventLog: Sendable {
  /// The initialiser that goes with that name.
  public init(logger: some Sendable) {}
  /// The function that goes with that name.
  public func record(_ event: AuditEvent) {}
}
#endif
