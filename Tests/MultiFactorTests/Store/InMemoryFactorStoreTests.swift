import FactorStoreConformance
import MultiFactor
import Testing

@Suite struct InMemoryFactorStoreTests {
  @Test(arguments: FactorStoreConformance.checks)
  func `the store in memory keeps the terms of a store`(check: FactorStoreConformance.Check) async throws {
    try await FactorStoreConformance { InMemoryFactorStore() }.run(check)
  }
}
