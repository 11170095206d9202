import Foundation
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// A store that fails at each call in turn.
@Suite struct StoreFailureTests {
  /// Events that must not be reported before the change is made.
  private static let successes: Set<AuditEvent.Kind> = [
    .signedIn, .enrolled, .unenrolled, .recoveryCodesReplaced, .handlesRevoked, .imported, .overwritten, .unlocked,
    .exported, .explained, .userDeleted, .browserRemembered, .browserForgotten,
  ]

  @Test(arguments: Flow.all, StoreKind.available)
  func `A store that fails at any call makes a flow throw a typed error, and no success is reported`(
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

  /// Breaks a flow off at one call, then lets it succeed.
  ///
  /// - Returns: Whether the flow makes that many calls.
  private func breakOff(
    _ flow: Flow, on kind: StoreKind, atCall number: Int, _ fault: TestStore.Fault
  ) async throws -> Bool {
    let log = RecordingLog()
    let host = try await Host(kind, log: log.append)
    let ready = try await flow.prepare(host)
    let before = try await host.account()
    let told = log.events.count

    host.store.fail(atCall: number, fault)
    var failure: (any Error)?
    do { try await ready.run() } catch { failure = error }
    let (calls, hasFailed) = host.store.recover()
    guard hasFailed else {
      #expect(failure == nil)
      return false
    }
    if failure == nil, flow.hasNote, number == calls.count - 1 {
      #expect(log.events.contains { $0.summary == "failed store" })
      return true
    }
    let error = try #require(failure as? AuthError, "call \(number): \(String(describing: failure))")
    #expect(error.code == .internalError && error.reason == .store, "call \(number): \(error)")
    // Whatever the flow did before the failing call, the operation was not completed.
    let events = log.events.dropFirst(told)
    #expect(events.last?.kind == .failed && events.last?.reason == .store)
    #expect(!events.contains { Self.successes.contains($0.kind) }, "call \(number): \(events)")

    let performed = calls.filter(\.isPerformed)
    // What was counted before the failure is taken back after it.
    #expect(performed.count >= (fault == .failsBefore ? number - 1 : number))
    if !performed.contains(where: { $0.operation == .update }) { #expect(try await host.account() == before) }
    try await ready.again()
    return true
  }

  @Test(arguments: Flow.all)
  func `A change whose closure the store runs twice is made once and reported once`(flow: Flow) async throws {
    var endings: [[String]] = []
    for repeats in [false, true] {
      let log = RecordingLog()
      // A deletion raises the generation by a random number.
      let host = try await Host(random: .seeded(1), log: log.append)
      let ready = try await flow.prepare(host)
      if repeats { host.store.repeatChanges() }
      endings.append(try await log.summaries(of: { try await ready.run() }))
      let account = try await host.account()
      endings.append([
        "\(account.generation) \(account.factors.count) \(account.recoveryCodes.count)",
        "\(try await host.phoneDocument().messages.entries.count)",
        "\(account.factors.map(\.attempts.acceptances)) \(account.factors.map(\.attempts.failures))",
      ])
    }
    #expect(endings[0] == endings[2] && endings[1] == endings[3])
  }
}
