#if Observability
import CoreMetrics
import Keyring
import Logging
import Metrics
import MultiFactor
import OTP

/// Writes audit events to swift-log and counts them with swift-metrics.
///
/// Log lines have the event's name as their message and the rest as metadata. The counter is
/// `otp_multifactor_events_total`, with the dimensions `event`, `reason` and `factor`. The timer
/// `otp_multifactor_sign_in_duration`, with the same dimensions, measures sign-ins by a second factor.
public struct EventLog: Sendable {
  private let logger: Logger

  /// The metrics, created once for each combination of dimensions, because some backends make that costly.
  private let metrics = Locked([Key: Metrics]())

  private struct Key: Hashable {
    let kind: AuditEvent.Kind
    let reason: AuditEvent.Reason?
    let factorID: String?
  }

  private struct Metrics {
    let counter: Counter
    /// `nil` unless such an event happens during a sign-in.
    var timer: CoreMetrics.Timer?
  }

  /// Logs to a logger, and counts with the process's swift-metrics backend.
  public init(logger: Logger) { self.logger = logger }

  /// Logs and counts an event: pass this as `MultiFactorHandlers.event`.
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
    case .changesLost, .exported: .warning
    case .attemptRefused: event.reason == .locked ? .warning : .notice
    case .codeRefused, .enrollmentRefused, .messageRefused, .operationRefused, .tokenRefused: .notice
    case .explained, .handlesRevoked, .imported, .overwritten, .unlocked, .userDeleted: .notice
    case .secondFactorRequired, .resealed: .debug
    case .signedIn, .signedInWithoutSecondFactor, .enrolled, .unenrolled, .messageSent, .recoveryCodesReplaced: .info
    case .browserRemembered, .browserForgotten: .info
    }
  }

  private static func metadata(of event: AuditEvent) -> Logger.Metadata {
    var metadata: Logger.Metadata = [:]
    if let reason = event.reason { metadata["reason"] = "\(reason.rawValue)" }
    if let userID = event.userID { metadata["user"] = "\(userID)" }
    if let factorUID = event.factorUID { metadata["factor_uid"] = "\(factorUID)" }
    if let factorID = event.factorID { metadata["factor"] = "\(factorID)" }
    if let number = event.recoveryCodeNumber { metadata["recovery_code"] = "\(number)" }
    if let error = event.storeError { metadata["store_error"] = "\(error.rawValue)" }
    if let diagnosis = event.diagnosis { metadata["diagnosis"] = "\(diagnosis)" }
    return metadata
  }
}
#else
/// A placeholder while the trait is off, so that the compiler says what is missing.
@available(*, unavailable, message: "needs swift-otp's trait Observability: .package(…, traits: [\"Observability\"])")
public struct EventLog: Sendable {
  /// A placeholder for the initializer.
  public init(logger: some Sendable) {}
  /// A placeholder for the function.
  public func record(_ event: some Sendable) {}
}
#endif
