import Foundation
import Keyring
import MultiFactor
import SharedFixtures

/// All documents of a store.
func documents(of store: any FactorStore) async throws -> [DocumentKey: [UInt8]] {
  var documents: [DocumentKey: [UInt8]] = [:]
  for key in try await store.keys(after: nil, limit: .max) { documents[key] = try await store.document(key) }
  return documents
}

/// A store of any kind that records its calls, and fails or returns garbage when a test says so.
final class TestStore: FactorStore {
  /// The error that it throws.
  struct Failure: Error {}

  /// The way in which it fails.
  enum Fault: Sendable, CaseIterable {
    /// Does nothing and throws.
    case failsBefore
    /// Performs the operation, then throws.
    case failsAfter
  }

  enum Operation: Sendable { case document, update, keys, serverDate }

  /// An operation that was called, and whether it was performed.
  struct Call: Sendable, Equatable {
    let operation: Operation
    let isPerformed: Bool
  }

  /// What a damaged or untrusted store holds instead of a document.
  typealias Garbage = @Sendable (DocumentKey, [UInt8]) -> [UInt8]?

  private struct State {
    var calls: [Call] = []
    var fault: (call: Int, kind: Fault)?
    var error: any Error = Failure()
    var garbage: Garbage?
    var repeats = false
  }

  let base: any FactorStore
  private let folder: TemporaryFolder?
  private let state = Locked(State())

  init(_ kind: StoreKind) throws { (base, folder) = try kind.makeStore() }

  /// Wraps an existing store. The caller keeps its folder, if it has one.
  init(around base: any FactorStore) {
    self.base = base
    folder = nil
  }

  /// Fails at the n-th call from now on, counted from 1.
  func fail(atCall number: Int, _ kind: Fault, with error: any Error = Failure()) {
    state.withLock { $0 = State(fault: (number, kind), error: error) }
  }

  /// Returns garbage from now on.
  func answer(with garbage: @escaping Garbage) { state.withLock { $0 = State(garbage: garbage) } }

  /// Runs each change twice from now on and discards the first result, as a store does after a failed transaction.
  func repeatChanges() { state.withLock { $0 = State(repeats: true) } }

  /// Works correctly from now on.
  ///
  /// - Returns: The calls since the last fault was set, and whether the store failed as requested.
  @discardableResult
  func recover() -> (calls: [Call], hasFailed: Bool) {
    state.withLock { state in
      defer { state = State() }
      return (state.calls, state.fault.map { $0.call <= state.calls.count } ?? (state.garbage != nil))
    }
  }

  private func call<Answer: Sendable>(
    _ operation: Operation, _ perform: (Garbage?, _ repeats: Bool) async throws -> Answer
  ) async throws -> Answer {
    let (fault, error, garbage, repeats) = state.withLock { state in
      let fault = state.fault.flatMap { $0.call == state.calls.count + 1 ? $0.kind : nil }
      state.calls.append(Call(operation: operation, isPerformed: fault != .failsBefore))
      return (fault, state.error, state.garbage, state.repeats)
    }
    if fault == .failsBefore { throw error }
    let answer = try await perform(garbage, repeats)
    if fault == .failsAfter { throw error }
    return answer
  }

  /// Runs before each read.
  let beforeReading = Locked<(@Sendable (DocumentKey) async throws -> Void)?>(nil)

  func read(_ key: DocumentKey) async throws -> StoredDocument {
    try await beforeReading.withLock { $0 }?(key)
    return try await call(.document) { garbage, _ in
      let stored = try await base.read(key)
      return garbage.map { Self.spoiled(stored, under: key, by: $0) } ?? stored
    }
  }

  private static func spoiled(
    _ stored: StoredDocument, under key: DocumentKey, by garbage: Garbage
  ) -> StoredDocument {
    StoredDocument(stored.bytes.flatMap { garbage(key, $0) }) { stored.mark.flatMap { garbage(.mark, $0) } }
  }

  func change<R: Sendable>(
    _ key: DocumentKey, _ change: @escaping @Sendable (inout StoredDocument) throws -> R
  ) async throws -> R {
    try await call(.update) { garbage, repeats in
      try await base.change(key) { stored in
        if let garbage {
          // The result of a change to garbage is discarded: the test continues with the original document.
          var spoiled = Self.spoiled(stored, under: key, by: garbage)
          return try change(&spoiled)
        }
        if repeats {
          var copy = stored
          _ = try change(&copy)
        }
        return try change(&stored)
      }
    }
  }

  /// The reported moment up to which it lost acknowledged changes.
  let loss = Locked<Date?>(nil)
  var lossDate: Date? { loss.withLock { $0 } ?? base.lossDate }

  /// The time of its server's clock, if it has one.
  let clock = Locked<Date?>(nil)
  func serverDate() async throws -> Date? {
    try await call(.serverDate) { _, _ in
      if let date = clock.withLock({ $0 }) { return date }
      return try await base.serverDate()
    }
  }

  /// Whether it returns the first page over and over.
  let isStuck = Locked(false)

  func keys(after key: DocumentKey?, limit: Int) async throws -> [DocumentKey] {
    let key = isStuck.withLock { $0 } ? nil : key
    return try await call(.keys) { _, _ in try await base.keys(after: key, limit: limit) }
  }
}
