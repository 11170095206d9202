import Foundation
import Testing

/// Runs of the model of failover, restored backups and lost answers, repeated by the product.
@Suite struct ProtocolTraceTests {
  /// Tests/Proofs/protocol/run.sh generates others, and alters some.
  private static let file =
    ProcessInfo.processInfo.environment["PROTOCOL_TRACES"]
    ?? (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    .appending(path: "Proofs/protocol/traces.txt").path

  @Test func `Each trace of the protocol's model gets the same answers and leaves the same account`() async throws {
    let text = try String(contentsOfFile: Self.file, encoding: .utf8)
    let traces = text.split(separator: "\n")
    var counts: [String: Int] = [:]
    for trace in traces {
      let parts = trace.split(separator: ": ")
      var replay = try await ProtocolReplay()
      for (number, event) in parts[1].split(separator: "; ").enumerated() {
        do { try await replay.perform(event) } catch {
          // One is enough: what follows it would be wrong, too.
          Issue.record("run \(parts[0]), event \(number + 1), '\(event)': \(error)")
          return
        }
      }
      try await replay.end()
      counts.merge(replay.counts) { $0 + $1 }
    }
    let expected = [
      "accepted", "rejected", "waits", "lost", "conflict", "write", "replicate", "failover", "backup", "restore",
      "copy",
    ]
    for event in expected { #expect(counts[event, default: 0] > 0, "\(event) never happened") }
    print("protocol traces: \(traces.count) traces, \(counts.values.reduce(0, +)) events, \(counts)")
  }
}
