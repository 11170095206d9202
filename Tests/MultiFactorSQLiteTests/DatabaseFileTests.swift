#if SQLite
import Foundation
import GRDB
import MultiFactor
import Testing

@testable import MultiFactorSQLite

@Suite struct DatabaseFileTests {
  @Test func `the file and those beside it are their owner's alone`() async throws {
    let file = try TemporaryFile()
    let store = try await file.filled()
    for suffix in ["", "-wal", "-shm"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: file.path + suffix)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(suffix)")
    }
    withExtendedLifetime(store) {}
  }

  @Test func `commits wait for the disk`() async throws {
    let file = try TemporaryFile()
    let store = try SQLiteFactorStore(path: file.path)
    let modes = try await store.pool.writeWithoutTransaction { db in
      try ["journal_mode", "synchronous", "foreign_keys"].map { try String.fetchOne(db, sql: "PRAGMA \($0)") }
    }
    #expect(modes == ["wal", "2", "1"])
  }

  @Test func `a file of a newer version is refused, and left as it is`() async throws {
    let file = try TemporaryFile()
    do { _ = try await file.filled() }
    try file.change("INSERT INTO grdb_migrations (identifier) VALUES ('2-from-the-future')")
    #expect(await kind { _ = try SQLiteFactorStore(path: file.path) } == .newerVersion)
    try file.change("DELETE FROM grdb_migrations WHERE identifier = '2-from-the-future'")
    #expect(try await SQLiteFactorStore(path: file.path).account(of: "u").factors.count == 1)
  }

  @Test(arguments: [
    "this is a text, and long enough to be taken for a header", String(repeating: "\u{0}", count: 5000),
  ])
  func `a file that is no database is refused, and left as it is`(content: String) async throws {
    let file = try TemporaryFile()
    try Data(content.utf8).write(to: URL(fileURLWithPath: file.path))
    #expect(await kind { _ = try SQLiteFactorStore(path: file.path) } == .notADatabase)
    #expect(try Data(contentsOf: URL(fileURLWithPath: file.path)) == Data(content.utf8))
  }

  @Test func `another program's database is refused, and left as it is`() async throws {
    let file = try TemporaryFile()
    try file.change("CREATE TABLE theirs (a)")
    let before = try Data(contentsOf: URL(fileURLWithPath: file.path))
    #expect(await kind { _ = try SQLiteFactorStore(path: file.path) } == .notADatabase)
    #expect(try Data(contentsOf: URL(fileURLWithPath: file.path)) == before)
  }

  @Test(arguments: ["", ":memory:", "/nowhere/at/all/factors.sqlite", "a\u{0}b", "/tmp"])
  func `what can not be a file is refused`(path: String) async {
    #expect(await kind { _ = try SQLiteFactorStore(path: path) } == .cannotOpen)
  }

  @Test func `a link that leads nowhere is refused, and nothing is created at its end`() async throws {
    let file = try TemporaryFile()
    let end = file.path + "-end"
    try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: end)
    #expect(await kind { _ = try SQLiteFactorStore(path: file.path) } == .cannotOpen)
    #expect(!FileManager.default.fileExists(atPath: end))
  }

  @Test func `an empty file becomes a store`() async throws {
    let file = try TemporaryFile()
    try Data().write(to: URL(fileURLWithPath: file.path))
    #expect(try await file.filled().account(of: "u").factors.count == 1)
  }

  @Test func `many stores that create one file at once all open it`() async throws {
    for _ in 0..<10 {
      let file = try TemporaryFile()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<8 {
          group.addTask {
            let store = try SQLiteFactorStore(path: file.path)
            #expect(try await store.enroll(.sample("f\(index)"), under: .any) == .enrolled)
          }
        }
        try await group.waitForAll()
      }
      #expect(try await SQLiteFactorStore(path: file.path).account(of: "u").factors.count == 8)
    }
  }

  @Test func `an error shows a kind and a number, no statement and no argument`() async throws {
    let file = try TemporaryFile()
    let store = try await file.filled()
    let error = await #expect(throws: SQLiteFactorStoreError.self) {
      try await store.write { db in try db.run("INSERT INTO factors (uid) VALUES (?)", Column.name("sensitive")) }
    }
    #expect(error.map { String(reflecting: $0).contains("sensitive") } == false)
    #expect(error.map { "\($0)" } == "failed (SQLite 1299)")
  }
}
#endif
