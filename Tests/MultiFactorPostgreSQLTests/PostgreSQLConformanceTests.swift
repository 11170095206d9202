#if PostgreSQL
import FactorStoreConformance
import Foundation
import MultiFactor
import MultiFactorPostgreSQL
import Testing

@Suite struct PostgreSQLConformanceTests {
  @Test(arguments: FactorStoreConformance.checks)
  func `the store on PostgreSQL keeps the promises of a store`(check: FactorStoreConformance.Check) async throws {
    let database = try Database()
    let conformance = FactorStoreConformance(
      makeStore: { try database.store() }, reopen: { _ in try database.store(createIfMissing: false) })
    try await conformance.run(check)
  }

  /// As two machines would have them, one of them behind a pooler.
  @Test(arguments: FactorStoreConformance.checks)
  func `two stores on one database are one store`(check: FactorStoreConformance.Check) async throws {
    let database = try Database()
    let conformance = FactorStoreConformance {
      try await PostgreSQLFactorStore.migrate(url: database.url, configuration: database.configuration())
      return try AlternatingStore(
        database.store(createIfMissing: false),
        database.store(createIfMissing: false) { $0.preparesStatements = false })
    }
    try await conformance.run(check)
  }
}
#endif
