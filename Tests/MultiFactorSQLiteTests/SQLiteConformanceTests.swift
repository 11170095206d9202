#if SQLite
import FactorStoreConformance
import Foundation
import GRDB
import MultiFactor
import MultiFactorSQLite
import Testing

@Suite struct SQLiteConformanceTests {
  @Test(arguments: FactorStoreConformance.checks)
  func `the store on SQLite keeps the promises of a store`(check: FactorStoreConformance.Check) async throws {
    let file = try TemporaryFile()
    let conformance = FactorStoreConformance(
      makeStore: { try file.store() }, reopen: { _ in try SQLiteFactorStore(path: file.path) })
    try await conformance.run(check)
  }

  /// As two processes would have them.
  @Test(arguments: FactorStoreConformance.checks)
  func `two stores on one file are one store`(check: FactorStoreConformance.Check) async throws {
    let file = try TemporaryFile()
    try await FactorStoreConformance { try AlternatingStore(file.store(), file.store()) }.run(check)
  }

  @Test func `an empty document is a BLOB without bytes`() async throws {
    let file = try TemporaryFile()
    try await file.store().update(.sample) { $0 = [] }
    let types = try await DatabaseQueue(path: file.path).read {
      try String.fetchAll($0, sql: "SELECT typeof(document) || length(document) FROM documents")
    }
    #expect(types == ["blob0"])
  }
}
#endif
