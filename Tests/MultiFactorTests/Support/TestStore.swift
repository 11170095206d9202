import Foundation
import MultiFactor

/// A store of either kind, which keeps count of what it is asked, and fails or answers garbage where a test tells it to.
final class TestStore: FactorStore {
  /// What it throws.
  struct Failure: Error {}

  /// How it fails.
  enum Fault: Sendable, CaseIterable {
    /// It does nothing and throws.
    case failsBefore
    /// It does what it is asked, and throws nevertheless.
    case failsAfter
  }

  enum Operation: Sendable { case document, update, keys, serverDate }

  /// An operation that was called, and whether it was performed.
  struct Call: Sendable, Equatable {
    let operation: Operation
    let isPerformed: Bool
  }

  /// What a store that is damaged, or not to be trusted, holds instead of a document.
  typealias Garbage = @Sendable (DocumentKey, [UInt8]) -> [UInt8]?

  private struct State {
    var calls: [Call] = []
    var fault: (call: Int, kind: Fault)?
    var garbage: Garbage?
    var repeats = false
  }

  let base: any FactorStore
  private let folder: TemporaryFolder?
  private let state = Locked(State())

  init(_ kind: StoreKind) throws { (base, folder) = try kind.makeStore() }

  /// A store that is there already. Its folder, if it has one, is its maker's.
  init(around base: any FactorStore) {
    self.base = base
    folder = nil
  }

  /// Fails at the n-th call from now on, counted from 1.
  func fail(atCall number: Int, _ kind: Fault) {
    state.withLock { $0 = State(fault: (number, kind)) }
  }

  /// Answers with garbage from now on.
  func answer(with garbage: @escaping Garbage) { state.withLock { $0 = State(garbage: garbage) } }

  /// Runs each change twice from now on, the first time for nothing, as a store does whose transaction has failed.
  func repeatChanges() { state.withLock { $0 = State(repeats: true) } }

  /// Does what it should from now on.
  ///
  /// - Returns: What it was asked meanwhile, and whether it failed as it was told to.
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
    let (fault, garbage, repeats) = state.withLock { state in
      let fault = state.fault.flatMap { $0.call == state.calls.count + 1 ? $0.kind : nil }
      state.calls.append(Call(operation: operation, isPerformed: fault != .failsBefore))
      return (fault, state.garbage, state.repeats)
    }
    if fault == .failsBefore { throw Failure() }
    let answer = try await perform(garbage, repeats)
    if fault == .failsAfter { throw Failure() }
    return answer
  }

  func document(_ key: DocumentKey) async throws -> [UInt8]? {
    try await call(.document) { garbage, _ in
      let document = try await base.document(key)
      guard let garbage else { return document }
      return document.flatMap { garbage(key, $0) }
    }
  }

  func update<R: Sendable>(
    _ key: DocumentKey, _ change: @escaping @Sendable (inout [UInt8]?) throws -> R
  ) async throws -> R {
    try await call(.update) { garbage, repeats in
      try await base.update(key) { stored in
        if let garbage {
          // What comes of garbage is not kept: the test goes on with what there was.
          var spoiled = stored.flatMap { garbage(key, $0) }
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

  /// When it is said to have lost what it had answered.
  let loss = Locked<Date?>(nil)
  var lossDate: Date? { loss.withLock { $0 } ?? base.lossDate }

  /// What the clock of its server says, if it is to have one.
  let clock = Locked<Date?>(nil)
  func serverDate() async throws -> Date? {
    try await call(.serverDate) { _, _ in
      if let date = clock.withLock({ $0 }) { return date }
      return try await base.serverDate()
    }
  }

  func keys(after key: DocumentKey?, limit: Int) async throws -> [DocumentKey] {
    try await call(.keys) { _, _ in try await base.keys(after: key, limit: limit) }
  }
}
