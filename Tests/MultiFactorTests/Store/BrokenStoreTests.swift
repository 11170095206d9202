import FactorStoreConformance
import MultiFactor
import Testing

/// The conformance suite must be able to fail.
@Suite struct BrokenStoreTests {
  @Test(arguments: BrokenStore.Fault.allCases)
  func `the suite notices one fault, by the check that is about it`(fault: BrokenStore.Fault) async {
    let failures = await FactorStoreConformance { BrokenStore(fault: fault) }.run()
    if fault == .none {
      #expect(failures.isEmpty)
    } else {
      #expect(failures.contains { $0.check.contains(fault.rawValue) }, "\(failures)")
    }
  }

  @Test func `the suite notices a store that forgets when it is opened again`() async {
    let conformance = FactorStoreConformance(
      makeStore: { InMemoryFactorStore() }, reopen: { _ in InMemoryFactorStore() })
    #expect(await conformance.run().map(\.check) == ["what was changed is there after the store is opened again"])
  }
}
