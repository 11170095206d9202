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
      makeStore: { try database.store() }, reopen: { _ in try database.store(creating: false) })
    try await conformance.run(check)
  }

  /// As on two machines, one of them behind a pooler.
  @Test(arguments: FactorStoreConformance.checks)
  func `two stores on one database are one store`(check: FactorStoreConformance.Check) async throws {
    let database = try Database()
    let conformance = FactorStoreConformance {
      try AlternatingStore(database.store(), database.store(creating: false) { $0.preparesStatements = false })
    }
    try await conformance.run(check)
  }
}
#endif
