import Foundation
import Keyring

@testable import MultiFactor

/// Keeps a host's audit events in order.
final class RecordingLog: Sendable {
  private let recorded = Locked([AuditEvent]())

  var events: [AuditEvent] { recorded.withLock { $0 } }
  /// The latest event's summary.
  var last: String { events.last.map(\.summary) ?? "nothing" }

  @Sendable func append(_ event: AuditEvent) { recorded.withLock { $0.append(event) } }

  /// The summaries of the events during an operation.
  func summaries(of work: () async throws -> Void) async rethrows -> [String] {
    let before = events.count
    try await work()
    return events.dropFirst(before).map(\.summary)
  }
}

extension AuditEvent {
  /// The kind, and the reason if there is one.
  var summary: String { [kind.rawValue, reason?.rawValue].compactMap(\.self).joined(separator: " ") }
}

/// The `AuthError` that an operation throws, if any.
func authError(_ operation: () async throws -> some Any) async -> AuthError? {
  do {
    _ = try await operation()
    return nil
  } catch {
    return error as? AuthError
  }
}
