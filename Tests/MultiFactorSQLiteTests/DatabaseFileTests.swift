#if SQLite
import Foundation
import GRDB
import MultiFactor
import Testing

@testable import MultiFactorSQLite

@Suite struct DatabaseFileTests {
  @Test func `only the owner can access the file and those beside it`() async throws {
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
    let store = try file.store()
    let modes = try await store.pool.writeWithoutTransaction { db in
      try ["journal_mode", "synchronous"].map { try String.fetchOne(db, sql: "PRAGMA \($0)") }
    }
    #expect(modes == ["wal", "2"])
  }

  @Test func `a file of a newer version is refused and left as it is`() async throws {
    let file = try TemporaryFile()
    do { _ = try await file.filled() }
    try file.change("PRAGMA user_version = 2")
    #expect(await kind { _ = try SQLiteFactorStore(path: file.path) } == .newerVersion)
    #expect(await kind { _ = try file.store() } == .newerVersion)
    try file.change("PRAGMA user_version = 1")
    #expect(try await SQLiteFactorStore(path: file.path).document(.sample) == [1, 2, 3])
  }

  @Test func `a file from before the first release is refused and left as it is`() async throws {
    let file = try TemporaryFile()
    try file.change("CREATE TABLE accounts (id INTEGER PRIMARY KEY); PRAGMA application_id = \(0x6D66_6131)")
    let before = try Data(contentsOf: URL(fileURLWithPath: file.path))
    #expect(await kind { _ = try SQLiteFactorStore(path: file.path) } == .olderVersion)
    #expect(await kind { _ = try file.store() } == .olderVersion)
    #expect(try Data(contentsOf: URL(fileURLWithPath: file.path)) == before)
  }

  @Test func `a missing file is an error, and is created only if requested`() async throws {
    let file = try TemporaryFile()
    #expect(await kind { _ = try SQLiteFactorStore(path: file.path) } == .missing)
    #expect(try FileManager.default.contentsOfDirectory(atPath: file.folder) == [])
    #expect(await kind { _ = try SQLiteFactorStore(path: file.folder + "/a/b.sqlite") } == .missing)
    #expect(try await file.store().keys(after: nil, limit: 9) == [])
    #expect(try await SQLiteFactorStore(path: file.path).keys(after: nil, limit: 9) == [])
  }

  @Test(arguments: [
    "this is a text, and long enough to be taken for a header", String(repeating: "\u{0}", count: 5000),
    "",
  ])
  func `a file that is not a database is refused and left as it is`(content: String) async throws {
    let file = try TemporaryFile()
    try Data(content.utf8).write(to: URL(fileURLWithPath: file.path))
    #expect(await kind { _ = try file.store() } == .foreign)
    #expect(try Data(contentsOf: URL(fileURLWithPath: file.path)) == Data(content.utf8))
  }

  @Test func `another program's database is refused and left as it is`() async throws {
    let file = try TemporaryFile()
    try file.change("CREATE TABLE theirs (a)")
    let before = try Data(contentsOf: URL(fileURLWithPath: file.path))
    #expect(await kind { _ = try SQLiteFactorStore(path: file.path) } == .foreign)
    #expect(try Data(contentsOf: URL(fileURLWithPath: file.path)) == before)
  }

  @Test(arguments: ["", ":memory:", "/nowhere/at/all/factors.sqlite", "a\u{0}b"])
  func `a path that cannot be a file is refused`(path: String) async {
    #expect(await kind { _ = try SQLiteFactorStore.create(path: path) } == .cannotOpen)
  }

  @Test func `a store is created only if no file is in its place`() async throws {
    let file = try TemporaryFile()
    #expect(await kind { _ = try SQLiteFactorStore(path: file.path) } == .missing)
    #expect(!FileManager.default.fileExists(atPath: file.path))
    _ = try await file.filled()
    #expect(await kind { _ = try SQLiteFactorStore.create(path: file.path) } == .exists)
    #expect(try await SQLiteFactorStore(path: file.path).document(.sample) == [1, 2, 3])
    #expect(await kind { _ = try SQLiteFactorStore.create(path: file.folder) } == .exists)
    #expect(await kind { _ = try SQLiteFactorStore(path: file.folder) } == .severalNames)
  }

  @Test func `a dangling link is refused, and its target is not created`() async throws {
    let file = try TemporaryFile()
    let end = file.path + "-end"
    try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: end)
    #expect(await kind { _ = try SQLiteFactorStore(path: file.path) } == .missing)
    #expect(await kind { _ = try SQLiteFactorStore.create(path: file.path) } == .exists)
    #expect(!FileManager.default.fileExists(atPath: end))
  }

  @Test func `many stores that create one file at once all open it`() async throws {
    for _ in 0..<10 {
      let file = try TemporaryFile()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<8 {
          group.addTask {
            let store = try file.store()
            try await store.update(DocumentKey(number: index)) { $0 = [] }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await SQLiteFactorStore(path: file.path).keys(after: nil, limit: 9).count == 8)
    }
  }

  @Test func `an error shows a kind and a number, but no statement and no argument`() async throws {
    let file = try TemporaryFile()
    let store = try await file.filled()
    try file.change(
      """
      CREATE TRIGGER refuse BEFORE INSERT ON documents BEGIN SELECT RAISE (ABORT, 'sensitive too'); END
      """)
    let error = await #expect(throws: FactorStoreError.self) {
      try await store.update(.sample) { $0 = Array("sensitive".utf8) }
    }
    #expect(error.map { String(reflecting: $0).contains("sensitive") } == false)
    #expect(error.map { "\($0)" } == "store: failed (SQLite 1811)")
    #expect(try await store.document(.sample) == [1, 2, 3])
  }

  @Test func `an update that leaves the bytes unchanged writes nothing`() async throws {
    let file = try TemporaryFile()
    let store = try await file.filled()
    func log() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: file.path + "-wal")) }
    let before = try log()
    for _ in 0..<20 {
      _ = try await store.update(.sample) { document in
        document = document.map { $0.map { $0 } }
        return document
      }
      try await store.update(DocumentKey(number: 1)) { $0 = nil }
    }
    #expect(try log() == before)
    try await store.update(.sample) { $0 = [1, 2, 4] }
    #expect(try log() != before)
  }
}
#endif
