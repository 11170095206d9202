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

  @Test(arguments: ["deletion", "removal", "exchange"])
  func `a store reports that its file was emptied, removed or exchanged`(way: String) async throws {
    let check = try #require(FactorStoreConformance.checks.first { $0.name.contains("emptied") })
    let (file, other) = try (TemporaryFile(), TemporaryFile())
    let conformance = FactorStoreConformance(
      makeStore: { try file.store() },
      empty: { _ in
        if way == "deletion" { return try file.change("DELETE FROM documents") }
        do { _ = try other.store() }
        try FileManager.default.removeItem(atPath: file.path)
        if way == "exchange" { try FileManager.default.moveItem(atPath: other.path, toPath: file.path) }
      })
    try await conformance.run(check)
  }

  /// As in two processes.
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
