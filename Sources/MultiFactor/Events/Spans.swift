import Foundation

/// The spans of ``MultiFactorHandlers/span``.
enum SpanName: String {
  case signIn = "otp_multifactor.sign_in"
  case enroll = "otp_multifactor.enroll"
  case unenroll = "otp_multifactor.unenroll"
  /// Reading a document: the store's part of the enclosing span.
  case read = "otp_multifactor.store.read"
  /// Changing a document in a transaction of the store, including the rule that changes it.
  case change = "otp_multifactor.store.change"
}

extension Context {
  /// Runs an operation in a span, if the host has a tracer, and reports why it was refused or has failed.
  ///
  /// - Parameter start: If it is a sign-in by a second factor, when that started.
  nonisolated(nonsending) func perform<R>(
    _ name: SpanName, for userID: String, since start: ContinuousClock.Instant? = nil,
    _ operation: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    guard let span = events.handlers.span else {
      do { return try await operation() } catch { throw events.error(for: error, userID, since: start) }
    }
    var result: R?
    try await span(name.rawValue) {
      do { result = try await operation() } catch { throw events.error(for: error, userID, since: start) }
    }
    guard let result else { throw AuthError(.internalError) }
    return result
  }
}

/// The host's store, whose reads and changes its tracer sees.
struct TracedStore: FactorStore {
  let store: any FactorStore
  let span: MultiFactorHandlers.Span

  func read(_ key: DocumentKey) async throws -> StoredDocument {
    var stored: StoredDocument?
    try await span(SpanName.read.rawValue) { stored = try await store.read(key) }
    return try ended(stored)
  }

  func change<R: Sendable>(
    _ key: DocumentKey, _ change: @escaping @Sendable (inout StoredDocument) throws -> R
  ) async throws -> R {
    var result: R?
    try await span(SpanName.change.rawValue) { result = try await store.change(key, change) }
    return try ended(result)
  }

  func keys(after key: DocumentKey?, limit: Int) async throws -> [DocumentKey] {
    try await store.keys(after: key, limit: limit)
  }

  var lossDate: Date? { store.lossDate }

  func serverDate() async throws -> Date? { try await store.serverDate() }
}

/// The result of an operation that a host's handler of spans should have run.
private func ended<R>(_ result: R?) throws -> R {
  guard let result else { throw OperationNotRun() }
  return result
}

/// The error if a host's handler of spans has not run the operation.
private struct OperationNotRun: Error {}
