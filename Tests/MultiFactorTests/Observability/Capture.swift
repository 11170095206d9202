#if Observability
import Keyring
import Logging
import Metrics
import MetricsTestKit

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

extension TestMetrics {
  /// Keeps everything that is passed to swift-metrics. There is one for each process.
  static let shared: TestMetrics = {
    let metrics = TestMetrics()
    MetricsSystem.bootstrap(metrics)
    return metrics
  }()

  /// Each metric's label, and its dimensions as `NAME=VALUE`.
  var names: [(label: String, dimensions: [String])] {
    (counters.map { ($0.label, $0.dimensions) } + timers.map { ($0.label, $0.dimensions) }).map { label, dimensions in
      (label, dimensions.map { "\($0.0)=\($0.1)" })
    }
  }
}
#endif
