import FactorStoreConformance
import MultiFactor
import Testing

/// The conformance suite must be able to fail.
@Suite struct BrokenStoreTests {
  @Test(arguments: BrokenStore.Fault.allCases)
  func `each planted fault in a store is noticed by the check for it`(fault: BrokenStore.Fault) async throws {
    let suite = FactorStoreConformance { BrokenStore(fault: fault) }
    guard fault != .none else {
      #expect(await suite.run() == [])
      return
    }
    let check = try #require(FactorStoreConformance.checks.first { $0.name.contains(fault.rawValue) })
    await #expect(throws: FactorStoreConformance.Failure.self, "\(check)") { try await suite.run(check) }
  }

  @Test func `the suite notices a store that forgets when it is opened again`() async {
    let conformance = FactorStoreConformance(
      makeStore: { InMemoryFactorStore() }, reopen: { _ in InMemoryFactorStore() })
    #expect(
      await conformance.run().map(\.check) == [
        "what the store held is there after it is opened again",
        "updates at once, and those after it is opened again, all count",
      ])
  }

  @Test func `the suite notices two separate stores that are passed as one`() async throws {
    let check = try #require(FactorStoreConformance.checks.first)
    let failures = await FactorStoreConformance { AlternatingStore(InMemoryFactorStore(), InMemoryFactorStore()) }.run()
    #expect(failures.map(\.check).contains(check.name))
  }
}
