import Foundation

@testable import MultiFactor

/// Keeps the audit events of a host, in their order.
final class RecordingLog: Sendable {
  private let recorded = Locked([AuditEvent]())

  var events: [AuditEvent] { recorded.withLock { $0 } }
  /// What the latest event says.
  var last: String { events.last.map(\.summary) ?? "nothing" }

  @Sendable func append(_ event: AuditEvent) { recorded.withLock { $0.append(event) } }

  /// What the events of a piece of work say.
  func summaries(of work: () async throws -> Void) async rethrows -> [String] {
    let before = events.count
    try await work()
    return events.dropFirst(before).map(\.summary)
  }
}

extension AuditEvent {
  /// The kind, and the reason where there is one.
  var summary: String { [kind.rawValue, reason?.rawValue].compactMap(\.self).joined(separator: " ") }
}

extension MultiFactorAuth {
  /// What a piece of work changes of who is signed in, in a few words each.
  func changes(during work: () async throws -> Void) async throws -> [String] {
    let changes = stateChanges
    try await work()
    // Something to end at: a sequence that waits for one change too many would wait for ever.
    context.events.stateChanges.send(.revoked(userID: "the end"))
    var texts: [String] = []
    for await change in changes {
      switch change {
      case .revoked("the end"): return texts
      case .signedIn(let user): texts.append("\(user.uid) signed in")
      case .updated(let user): texts.append("\(user.uid) updated")
      case .revoked(let userID): texts.append("\(userID) revoked")
      }
    }
    return texts
  }
}

/// The error that an operation throws, where it is one of ours.
func authError(_ operation: () async throws -> some Any) async -> AuthError? {
  do {
    _ = try await operation()
    return nil
  } catch {
    return error as? AuthError
  }
}
