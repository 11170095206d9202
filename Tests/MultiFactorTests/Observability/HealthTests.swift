import Foundation
import Keyring
import MultiFactorOperations
import Testing

@testable import MultiFactor

/// The health report on everything that sign-ins need.
@Suite struct HealthTests {
  @Test func `A healthy server is ready, and the check changes no document but the mark`() async throws {
    let host = try await Host()
    _ = try await host.enrollTOTP()
    let before = try await (host.store.document(.user("u1")), host.store.document(.mark))
    let health = await host.auth.health()
    #expect(health.isReady)
    #expect(health.canReadStore && health.canWriteStore && health.canUseKeyring && health.canComputeCodes)
    #expect(try await host.store.document(.user("u1")) == before.0)
    // The mark was written again, and is still valid.
    #expect(try await host.store.document(.mark) != before.1)
    _ = try await Host(store: host.store, keyring: host.keyring)
  }

  @Test(arguments: TestStore.Fault.allCases)
  func `A server whose store fails at a read or a write is not ready`(by fault: TestStore.Fault)
    async throws
  {
    let host = try await Host()
    host.store.fail(atCall: 1, fault)
    var health = await host.auth.health()
    #expect(
      [health.canReadStore, health.canWriteStore, health.canUseKeyring, health.isReady] == [false, false, false, false])
    host.store.fail(atCall: 2, fault)
    health = await host.auth.health()
    #expect(
      [health.canReadStore, health.canWriteStore, health.canUseKeyring, health.isReady] == [true, false, true, false])
    host.store.recover()
    #expect(await host.auth.health().isReady)
  }

  @Test func `A server whose store no longer belongs to its keyring is not ready`() async throws {
    let host = try await Host(keyring: .fixed(active: ("a", 1)))
    let (other, sameKeys) = (try await Host(), try await Host(keyring: .fixed(active: ("a", 1))))
    for mark in try await [nil, [], other.store.document(.mark), sameKeys.store.document(.mark)] {
      try await host.store.update(.mark) { $0 = mark }
      let health = await host.auth.health()
      #expect(health.canReadStore && !health.canUseKeyring && !health.canWriteStore && !health.isReady)
      #expect(try await host.store.document(.mark) == mark)
    }
  }

  @Test func `The health report compares the clocks, but a difference does not affect readiness`() async throws {
    let host = try await Host()
    #expect(await host.auth.health().serverClockLead == nil)
    for lead in [-3.5, 0, 12] as [TimeInterval] {
      host.store.clock.withLock { $0 = host.clock.now.addingTimeInterval(lead) }
      let health = await host.auth.health()
      #expect(health.serverClockLead == .seconds(lead) && health.isReady)
    }
    // The check's last call asks for the time.
    host.store.fail(atCall: 3, .failsBefore)
    let health = await host.auth.health()
    #expect(health.serverClockLead == nil && health.isReady)
  }
}
