import Foundation
import Keyring
import Testing

@testable import MultiFactor

/// What a server is told of what its sign-ins need.
@Suite struct HealthTests {
  @Test(arguments: StoreKind.available)
  func `All is well, and no document but the mark has changed`(on kind: StoreKind) async throws {
    let host = try await Host(kind)
    _ = try await host.enrollTOTP()
    let before = try await (host.store.document(.user("u1")), host.store.document(.store))
    let health = await host.auth.health()
    #expect(health.isReady)
    #expect(health.canReadStore && health.canWriteStore && health.canUseKeyring && health.canComputeCodes)
    #expect(try await host.store.document(.user("u1")) == before.0)
    // It was written, and is as good as before.
    #expect(try await host.store.document(.store) != before.1)
    _ = try await Host(store: host.store, keyring: host.keyring)
  }

  @Test(arguments: StoreKind.available, TestStore.Fault.allCases)
  func `A store that fails at a read or a write is not ready`(on kind: StoreKind, by fault: TestStore.Fault)
    async throws
  {
    let host = try await Host(kind)
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

  @Test(arguments: [BrokenStore.Fault.keepsTextOnly, .deletesWhatIsLeftAsItWas])
  func `A store that spoils what it keeps is not ready, or what it keeps opens`(fault: BrokenStore.Fault) async throws {
    let host = try await Host(store: BrokenStore(fault: fault))
    _ = await host.auth.health()
    let health = await host.auth.health()
    let opens = (try? await Host(store: host.store, keyring: host.keyring)) != nil
    #expect(health.isReady == opens)
    #expect(opens == (fault == .deletesWhatIsLeftAsItWas))
  }

  @Test(arguments: StoreKind.available)
  func `A store that is not the keyring's any more is not ready`(on kind: StoreKind) async throws {
    let host = try await Host(kind)
    let other = try await Host(kind)
    for mark in try await [nil, [], other.store.document(.store)] {
      try await host.store.update(.store) { $0 = mark }
      let health = await host.auth.health()
      #expect(health.canReadStore && !health.canUseKeyring && !health.canWriteStore && !health.isReady)
      #expect(try await host.store.document(.store) == mark)
    }
  }

  @Test func `The clocks are compared, and decide nothing`() async throws {
    let host = try await Host()
    #expect(await host.auth.health().serverClockLead == nil)
    for lead in [-3.5, 0, 12] as [TimeInterval] {
      host.store.clock.withLock { $0 = host.clock.now.addingTimeInterval(lead) }
      let health = await host.auth.health()
      #expect(health.serverClockLead == lead && health.isReady)
    }
    // Its last call asks for the time.
    host.store.fail(atCall: 3, .failsBefore)
    let health = await host.auth.health()
    #expect(health.serverClockLead == nil && health.isReady)
  }
}
