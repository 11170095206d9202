import Foundation
import MultiFactor

/// A store of either kind, which keeps count of what it is asked and fails where a test tells it to.
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

  /// An operation that was called, and whether it was performed.
  struct Call: Sendable, Equatable {
    let operation: Operation
    let isPerformed: Bool
  }

  enum Operation: Sendable {
    case account, accounts, enroll, removeFactor, replaceFactors, reserveAttempt, accept, reseal, unlock, revokeHandles
    case replaceRecoveryCodes, openChallenge, activateChallenge
  }

  private struct State {
    var calls: [Call] = []
    var fault: (call: Int, kind: Fault)?
    var garbage: StoreGarbage?
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
    state.withLock { state in
      state.calls = []
      state.fault = (number, kind)
    }
  }

  /// Answers with garbage from now on.
  func answer(with garbage: StoreGarbage) {
    state.withLock { state in
      state.calls = []
      state.garbage = garbage
    }
  }

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
    _ operation: Operation, spoil: (StoreGarbage, Answer) -> Answer = { $1 },
    _ perform: () async throws -> Answer
  ) async throws -> Answer {
    let (fault, garbage) = state.withLock { state in
      let fault = state.fault.flatMap { $0.call == state.calls.count + 1 ? $0.kind : nil }
      state.calls.append(Call(operation: operation, isPerformed: fault != .failsBefore))
      return (fault, state.garbage)
    }
    if fault == .failsBefore { throw Failure() }
    let answer = try await perform()
    if fault == .failsAfter { throw Failure() }
    return garbage.map { spoil($0, answer) } ?? answer
  }
}

extension TestStore {
  func account(of userID: String) async throws -> AccountRecord {
    try await call(.account, spoil: { $0.spoiled($1) }) { try await base.account(of: userID) }
  }

  func accounts(after userID: String?, limit: Int) async throws -> [AccountRecord] {
    try await call(.accounts, spoil: { garbage, accounts in accounts.map(garbage.spoiled) }) {
      try await base.accounts(after: userID, limit: limit)
    }
  }

  func enroll(_ factor: FactorRecord, under conditions: EnrollmentConditions) async throws -> EnrollmentOutcome {
    try await call(.enroll) { try await base.enroll(factor, under: conditions) }
  }

  func removeFactor(_ uid: String, of userID: String, ifGeneration generation: UInt64?) async throws -> RemovalOutcome {
    try await call(.removeFactor) { try await base.removeFactor(uid, of: userID, ifGeneration: generation) }
  }

  func replaceFactors(of userID: String, with factors: [FactorRecord]) async throws -> UInt64? {
    try await call(.replaceFactors) { try await base.replaceFactors(of: userID, with: factors) }
  }

  func reserveAttempt(
    on target: AttemptTarget, of userID: String, at now: Date, under policy: AttemptPolicy,
    ifGeneration generation: UInt64?
  ) async throws -> ReservationOutcome {
    try await call(.reserveAttempt, spoil: { $0.spoiled($1) }) {
      try await base.reserveAttempt(on: target, of: userID, at: now, under: policy, ifGeneration: generation)
    }
  }

  func accept(_ acceptance: Acceptance, of userID: String) async throws -> AcceptanceOutcome {
    try await call(.accept) { try await base.accept(acceptance, of: userID) }
  }

  func reseal(_ uid: String, of userID: String, from old: [UInt8], to new: [UInt8]) async throws -> Bool {
    try await call(.reseal) { try await base.reseal(uid, of: userID, from: old, to: new) }
  }

  func unlock(_ target: UnlockTarget, of userID: String) async throws -> Bool {
    try await call(.unlock) { try await base.unlock(target, of: userID) }
  }

  func revokeHandles(of userID: String) async throws -> UInt64 {
    try await call(.revokeHandles) { try await base.revokeHandles(of: userID) }
  }

  func replaceRecoveryCodes(
    of userID: String, with hashes: [[UInt8]], ifGeneration generation: UInt64?
  ) async throws -> Bool {
    try await call(.replaceRecoveryCodes) {
      try await base.replaceRecoveryCodes(of: userID, with: hashes, ifGeneration: generation)
    }
  }

  func openChallenge(
    _ challenge: ChallengeRecord, under limits: SendLimits?, at now: Date
  ) async throws -> ChallengeOutcome {
    try await call(.openChallenge) { try await base.openChallenge(challenge, under: limits, at: now) }
  }

  func activateChallenge(_ id: String, of userID: String) async throws -> Bool {
    try await call(.activateChallenge) { try await base.activateChallenge(id, of: userID) }
  }
}
