import FactorStoreConformance
import MultiFactor
import Testing

@Suite struct InMemoryFactorStoreTests {
  @Test(arguments: FactorStoreConformance.checks)
  func `the store in memory keeps the promises of a store`(check: FactorStoreConformance.Check) async throws {
    try await FactorStoreConformance(makeStore: { InMemoryFactorStore() }, reopen: { $0 }).run(check)
  }

  @Test func `the suite notices a store that forgets when it is opened again, and two stores passed as one`()
    async throws
  {
    let forgetful = FactorStoreConformance(
      makeStore: { InMemoryFactorStore() }, reopen: { _ in InMemoryFactorStore() })
    #expect(
      await forgetful.run().map(\.check) == [
        "what the store held is there after it is opened again",
        "updates at once, and those after it is opened again, all count",
      ])
    let two = FactorStoreConformance { AlternatingStore(InMemoryFactorStore(), InMemoryFactorStore()) }
    let first = try #require(FactorStoreConformance.checks.first)
    #expect(await two.run().map(\.check).contains(first.name))
  }

  @Test func `the keys of the store in memory match a sorted set after any additions and removals`() async throws {
    let store = InMemoryFactorStore()
    var model: Set<DocumentKey> = []
    var random = SystemRandomNumberGenerator()
    for round in 0..<8000 {
      // Enough keys to fill several chunks and empty them again.
      let number = Int.random(in: 0..<2000, using: &random)
      guard let key = DocumentKey("user/\(number)") else { continue }
      let isThere = Int.random(in: 0..<4, using: &random) > (round < 5000 ? 0 : 2)
      try await store.update(key) { $0 = isThere ? [] : nil }
      if isThere { model.insert(key) } else { model.remove(key) }
      guard round.isMultiple(of: 400) else { continue }
      #expect(await store.keys(after: nil, limit: .max) == model.sorted())
      #expect(await store.keys(after: key, limit: 600) == Array(model.filter { $0 > key }.sorted().prefix(600)))
    }
    for key in model { try await store.update(key) { $0 = nil } }
    #expect(await store.keys(after: nil, limit: .max) == [])
  }

  @Test func `A key can be made from text`() {
    #expect(DocumentKey("user/é")?.bytes == Array("user/é".utf8))
    #expect(DocumentKey("") == nil)
    #expect(DocumentKey(String(repeating: "x", count: 512))?.bytes.count == 512)
    #expect(DocumentKey(String(repeating: "x", count: 513)) == nil)
  }
}
