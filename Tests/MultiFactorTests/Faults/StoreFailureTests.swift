import Foundation
import Testing

@testable import MultiFactor

/// A store that fails at each call in turn.
@Suite struct StoreFailureTests {
  /// What nobody may be told of before it is done.
  private static let successes: Set<AuditEvent.Kind> = [
    .signedIn, .enrolled, .unenrolled, .recoveryCodesReplaced, .handlesRevoked, .imported, .overwritten, .unlocked,
  ]

  @Test(arguments: Flow.all, StoreKind.available)
  func `A store that fails at any call ends a flow in a typed error, and the attempt stays counted`(
    flow: Flow, on kind: StoreKind
  ) async throws {
    for fault in TestStore.Fault.allCases {
      var call = 1
      while try await breakOff(flow, on: kind, atCall: call, fault) {
        call += 1
        try #require(call < 50)
      }
      #expect(call > 1, "it does not use the store")
    }
  }

  /// Breaks a flow off at one call, and lets it succeed afterwards.
  ///
  /// - Returns: Whether it has so many calls.
  private func breakOff(
    _ flow: Flow, on kind: StoreKind, atCall number: Int, _ fault: TestStore.Fault
  ) async throws -> Bool {
    let events = Locked<[AuditEvent]>([])
    let host = try Host(kind, log: { event in events.withLock { $0.append(event) } })
    let ready = try await flow.prepare(host)
    let before = try await Attempts(host)
    events.withLock { $0 = [] }

    host.store.fail(atCall: number, fault)
    let failure = await caught { try await ready.run() }
    let (calls, hasFailed) = host.store.recover()
    guard hasFailed else {
      #expect(failure == nil)
      return false
    }
    let error = try #require(failure as? AuthError, "call \(number): \(String(describing: failure))")
    #expect(error.code == .internalError && error.reason == .store, "call \(number): \(error)")
    // Whatever it did before the call that failed, what was asked for is not done.
    let told = events.withLock { $0 }
    #expect(told.last?.kind == .failed && told.last?.reason == .store)
    #expect(!told.contains { Self.successes.contains($0.kind) }, "call \(number): \(told)")

    let after = try await Attempts(host)
    let performed = calls.filter(\.isPerformed).map(\.operation)
    #expect(performed.count == (fault == .failsBefore ? number - 1 : number))
    if Flow.signIns.contains(where: { $0.testDescription == flow.testDescription }) {
      let reserved = performed.count { $0 == .reserveAttempt }
      let accepted = performed.count { $0 == .accept }
      #expect(after.attempts == before.attempts + reserved)
      #expect(after.acceptances == before.acceptances + accepted)
      #expect(after.failures == reserved - accepted, "call \(number)")
    }
    try await ready.again()
    return true
  }

  /// All attempts that are kept of a user.
  private struct Attempts {
    let attempts: Int
    let acceptances: Int
    let failures: Int

    init(_ host: Host) async throws {
      let account = try await host.store.base.account(of: Host.alice.id)
      let states = account.factors.map(\.attempts) + [account.recoveryAttempts]
      attempts = states.reduce(0) { $0 + Int($1.attempts) }
      acceptances = states.reduce(0) { $0 + Int($1.acceptances) }
      failures = states.reduce(0) { $0 + Int($1.consecutiveFailures) }
    }
  }

  @Test(arguments: TestStore.Fault.allCases, StoreKind.available)
  func `A store that fails to seal a secret anew does not stop the sign-in that is done`(
    fault: TestStore.Fault, on kind: StoreKind
  ) async throws {
    let old = try Host(kind, keyring: .fixed(active: ("old", 1)))
    let (_, key, uid) = try await old.enrollTOTP()
    let sealed = try #require(try await old.store.account(of: "u1").factors.first).sealed
    let host = try Host(kind, keyring: .fixed(active: ("new", 2), others: [("old", 1)]))
    _ = try await host.store.enroll(
      try #require(try await old.store.account(of: "u1").factors.first),
      under: EnrollmentConditions(generation: nil, allowsExistingFactors: true, maximumFactorCount: 5))
    host.clock.advance(by: 30)
    // After the account, the attempt and the acceptance.
    host.store.fail(atCall: 4, fault)
    _ = try await host.resolve(uid, code: host.code(of: key))
    let (calls, hasFailed) = host.store.recover()
    #expect(hasFailed && calls.last?.operation == .reseal)
    let after = try #require(try await host.store.account(of: "u1").factors.first).sealed
    #expect((after == sealed) == (fault == .failsBefore))
    host.clock.advance(by: 30)
    _ = try await host.resolve(uid, code: host.code(of: key))
    #expect(try await host.store.account(of: "u1").factors.first?.sealed != sealed)
  }

  /// What an operation throws.
  private func caught(_ operation: () async throws -> Void) async -> (any Error)? {
    do {
      try await operation()
      return nil
    } catch {
      return error
    }
  }
}
