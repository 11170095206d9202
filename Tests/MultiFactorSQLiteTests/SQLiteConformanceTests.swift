#if SQLite
import FactorStoreConformance
import Foundation
import MultiFactor
import MultiFactorSQLite
import Testing

@Suite struct SQLiteConformanceTests {
  @Test(arguments: FactorStoreConformance.checks)
  func `the store on SQLite keeps the terms of a store`(check: FactorStoreConformance.Check) async throws {
    let file = try TemporaryFile()
    let conformance = FactorStoreConformance(
      makeStore: { try SQLiteFactorStore(path: file.path) }, reopen: { _ in try SQLiteFactorStore(path: file.path) })
    try await conformance.run(check)
  }

  /// One store for what is not changed, another for what is: as two processes would have them.
  @Test(arguments: FactorStoreConformance.checks)
  func `two stores on one file are one store`(check: FactorStoreConformance.Check) async throws {
    let file = try TemporaryFile()
    try await FactorStoreConformance {
      try AlternatingStore(first: SQLiteFactorStore(path: file.path), second: SQLiteFactorStore(path: file.path))
    }.run(check)
  }

  @Test func `empty names and values are kept`() async throws {
    let file = try TemporaryFile()
    let store = try SQLiteFactorStore(path: file.path)
    let factor = FactorRecord(
      userID: "", uid: "", kind: .phone, displayName: "", enrollmentDate: Date(timeIntervalSince1970: 0), sealed: [],
      uniqueKey: [])
    #expect(try await store.enroll(factor, under: .any) == .enrolled)
    _ = try await store.revokeHandles(of: "a")
    #expect(try await store.account(of: "").factors == [factor])
    #expect(try await store.accounts(after: nil, limit: 9).map(\.userID) == ["", "a"])
    #expect(try await store.accounts(after: "", limit: 9).map(\.userID) == ["a"])
  }
}

/// Two stores that take turns.
final class AlternatingStore: FactorStore, @unchecked Sendable {
  private let stores: [SQLiteFactorStore]
  private let lock = NSLock()
  private var turn = 0

  init(first: SQLiteFactorStore, second: SQLiteFactorStore) { stores = [first, second] }

  private var next: SQLiteFactorStore {
    lock.withLock {
      turn += 1
      return stores[turn % 2]
    }
  }

  func account(of userID: String) async throws -> AccountRecord { try await next.account(of: userID) }
  func accounts(after userID: String?, limit: Int) async throws -> [AccountRecord] {
    try await next.accounts(after: userID, limit: limit)
  }
  func enroll(_ factor: FactorRecord, under conditions: EnrollmentConditions) async throws -> EnrollmentOutcome {
    try await next.enroll(factor, under: conditions)
  }
  func removeFactor(
    _ uid: String, of userID: String, ifGeneration generation: UInt64?
  ) async throws -> RemovalOutcome {
    try await next.removeFactor(uid, of: userID, ifGeneration: generation)
  }
  func replaceFactors(of userID: String, with factors: [FactorRecord]) async throws -> UInt64? {
    try await next.replaceFactors(of: userID, with: factors)
  }
  func reserveAttempt(
    on target: AttemptTarget, of userID: String, at now: Date, under policy: AttemptPolicy,
    ifGeneration generation: UInt64?
  ) async throws -> ReservationOutcome {
    try await next.reserveAttempt(on: target, of: userID, at: now, under: policy, ifGeneration: generation)
  }
  func accept(_ acceptance: Acceptance, of userID: String) async throws -> AcceptanceOutcome {
    try await next.accept(acceptance, of: userID)
  }
  func reseal(_ uid: String, of userID: String, from old: [UInt8], to new: [UInt8]) async throws -> Bool {
    try await next.reseal(uid, of: userID, from: old, to: new)
  }
  func unlock(_ target: UnlockTarget, of userID: String) async throws -> Bool {
    try await next.unlock(target, of: userID)
  }
  func revokeHandles(of userID: String) async throws -> UInt64 { try await next.revokeHandles(of: userID) }
  func replaceRecoveryCodes(
    of userID: String, with hashes: [[UInt8]], ifGeneration generation: UInt64?
  ) async throws -> Bool {
    try await next.replaceRecoveryCodes(of: userID, with: hashes, ifGeneration: generation)
  }
  func openChallenge(
    _ challenge: ChallengeRecord, under limits: SendLimits?, at now: Date
  ) async throws -> ChallengeOutcome {
    try await next.openChallenge(challenge, under: limits, at: now)
  }
  func activateChallenge(_ id: String, of userID: String) async throws -> Bool {
    try await next.activateChallenge(id, of: userID)
  }
}
#endif
