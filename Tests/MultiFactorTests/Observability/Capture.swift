#if Observability
import Logging
import Metrics

@testable import MultiFactor

/// Keeps everything that is passed to swift-log.
final class CapturedLog: Sendable {
  private let captured = Locked([String]())

  var lines: [String] { captured.withLock { $0 } }

  /// A logger for every level.
  func logger() -> Logger { Logger(label: "test") { _ in Handler(log: self) } }

  private struct Handler: LogHandler {
    let log: CapturedLog
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let all = metadata.merging(event.metadata ?? [:]) { $1 }
      let text = all.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
      let line = "\(event.level) \(event.message) \(text) \(event.source) \(event.function) \(event)"
      log.captured.withLock { $0.append(line) }
    }
  }
}

/// Keeps everything that is passed to swift-metrics. There is one per process.
final class CapturedMetrics: MetricsFactory {
  static let shared: CapturedMetrics = {
    let metrics = CapturedMetrics()
    MetricsSystem.bootstrap(metrics)
    return metrics
  }()

  struct Name: Hashable, Sendable {
    let label: String
    let dimensions: [String]
  }

  private let counts = Locked([Name: Int64]())

  var all: [Name: Int64] { counts.withLock { $0 } }

  private final class Recorder: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler,
    TimerHandler
  {
    let name: Name
    let metrics: CapturedMetrics

    init(_ name: Name, _ metrics: CapturedMetrics) {
      self.name = name
      self.metrics = metrics
      increment(by: 0 as Int64)
    }

    func increment(by amount: Int64) { metrics.counts.withLock { $0[name, default: 0] += amount } }
    func increment(by amount: Double) { increment(by: Int64(amount)) }
    func reset() {}
    func set(_ value: Int64) { increment(by: value) }
    func set(_ value: Double) { increment(by: value) }
    func decrement(by amount: Double) { increment(by: -amount) }
    func record(_ value: Int64) { increment(by: value) }
    func record(_ value: Double) { increment(by: value) }
    func recordNanoseconds(_ duration: Int64) { increment(by: duration) }
  }

  private func recorder(_ label: String, _ dimensions: [(String, String)]) -> Recorder {
    Recorder(Name(label: label, dimensions: dimensions.map { "\($0.0)=\($0.1)" }), self)
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { recorder(label, dimensions) }
  func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler { recorder(label, dimensions) }
  func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { recorder(label, dimensions) }
  func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler { recorder(label, dimensions) }
  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { recorder(label, dimensions) }
  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
  func destroyMeter(_ handler: any MeterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
}
#endif
