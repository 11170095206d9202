#if SQLite
import Foundation
import GRDB
import MultiFactor
import Testing

@testable import MultiFactorSQLite

/// Names that lead to another file than the one that a store has open, or to the same one with another log.
@Suite struct FileIdentityTests {
  private static func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

  @Test func `a hard link is refused under each of its names, and the store that is open goes on`() async throws {
    let file = try TemporaryFile()
    let store = try await file.filled()
    let link = file.folder + "/link.sqlite"
    try FileManager.default.linkItem(atPath: file.path, toPath: link)
    for path in [link, file.path] {
      #expect(await kind { _ = try SQLiteFactorStore(path: path) } == .severalNames)
    }
    #expect(try await store.increment() == 2)
    try Self.remove(link)
    #expect(try await SQLiteFactorStore(path: file.path).document(.sample) == [2])
  }

  @Test func `the second name that a killed creation leaves is removed, and no other`() async throws {
    let file = try TemporaryFile()
    do { _ = try await file.filled() }
    let left = FileIdentity.newName(of: file.path)
    try FileManager.default.linkItem(atPath: file.path, toPath: left)
    let another = FileIdentity.newName(of: file.path)
    try Data([1]).write(to: URL(fileURLWithPath: another))
    #expect(try await SQLiteFactorStore(path: file.path).document(.sample) == [1, 2, 3])
    #expect(!FileManager.default.fileExists(atPath: left))
    #expect(FileManager.default.fileExists(atPath: another))
  }

  @Test func `a mount point is recognized`() throws {
    #if os(Linux)
    #expect(throws: FactorStoreError(.severalNames)) { try FileIdentity.checkHasOneName("/proc") }
    #endif
    let file = try TemporaryFile()
    _ = try file.store()
    #expect(throws: Never.self) { try FileIdentity.checkHasOneName(file.path) }
  }

  @Test func `a symbolic link is followed, and a store that it no longer leads to is not served`() async throws {
    let (file, other) = try (TemporaryFile(), TemporaryFile())
    do { _ = try await (file.filled(), other.filled()) }
    let link = file.folder + "/link.sqlite"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file.path)
    let store = try SQLiteFactorStore(path: link)
    #expect(try await store.increment() == 2)
    try Self.remove(link)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: other.path)
    #expect(await kind { _ = try await store.increment() } == .replaced)
  }

  @Test func `a backup that is moved into place is not served by the store that has the old file open`() async throws {
    let file = try TemporaryFile()
    let store = try await file.filled()
    let backup = file.folder + "/backup.sqlite"
    try await store.pool.writeWithoutTransaction { db in
      try db.execute(sql: "VACUUM INTO ?", arguments: [backup])
    }
    #expect(try await store.increment() == 2)
    let aside = file.folder + "/aside.sqlite"
    #expect(unsafe rename(file.path, aside) == 0 && rename(backup, file.path) == 0)
    // Nor once the old file is back: another store may have been used meanwhile.
    for isBack in [false, true] {
      if isBack { #expect(unsafe rename(aside, file.path) == 0) }
      #expect(await kind { _ = try await store.increment() } == .replaced)
      #expect(await kind { _ = try await store.read(DocumentKey(number: 1)) } == .replaced)
    }
  }

  @Test func `a store whose file was exchanged takes nothing from the store opened in its place`()
    async throws
  {
    let file = try TemporaryFile()
    let store = try await file.filled()
    let backup = file.folder + "/backup.sqlite"
    try await store.pool.writeWithoutTransaction { db in
      try db.execute(sql: "VACUUM INTO ?", arguments: [backup])
    }
    #expect(try await store.increment() == 2)
    // With the old file's log left in its place.
    #expect(unsafe rename(backup, file.path) == 0)
    let other = try SQLiteFactorStore(path: file.path)
    let number = try await other.increment()
    for _ in 0..<3 { #expect(await kind { _ = try await store.increment() } == .replaced) }
    #expect(try await other.increment() == number + 1)
    #expect(try await SQLiteFactorStore(path: file.path).document(.sample) == [number + 1])
  }

  @Test func `a relative path leads to the same file when the process is in another folder`() async throws {
    let file = try TemporaryFile()
    do { _ = try await file.filled() }
    // Up to the root, since the folder of the process is not this test's to change.
    let folders = FileManager.default.currentDirectoryPath.split(separator: "/").count
    let relative = String(repeating: "../", count: folders) + file.path.dropFirst()
    let store = try SQLiteFactorStore(path: relative)
    #expect(store.pool.path.hasPrefix("/"))
    #expect(try await store.increment() == 2)
  }

  /// Which files are removed.
  enum Removal: String, CaseIterable {
    case log, index, both

    var suffixes: [String] {
      switch self {
      case .log: ["-wal"]
      case .index: ["-shm"]
      case .both: ["-wal", "-shm"]
      }
    }
  }

  @Test(arguments: Removal.allCases)
  func `if the log is removed, the store changes nothing, no other opens, and nothing is lost`(removal: Removal)
    async throws
  {
    let file = try TemporaryFile()
    do {
      let store = try await file.filled()
      #expect(try await store.increment() == 2)
      for suffix in removal.suffixes { try Self.remove(file.path + suffix) }
      #expect(await kind { _ = try await store.increment() } == .replaced)
      #expect(await kind { _ = try await store.read(DocumentKey(number: 1)) } == .replaced)
      #expect(throws: FactorStoreError(.replaced)) { try SQLiteFactorStore(path: file.path, busyAttempts: 20) }
    }
    #expect(try await SQLiteFactorStore(path: file.path).document(.sample) == [2])
  }

  @Test func `if the file is removed, the store changes nothing, and reads nothing as missing`() async throws {
    let file = try TemporaryFile()
    let store = try await file.filled()
    try Self.remove(file.path)
    #expect(await kind { _ = try await store.increment() } == .replaced)
    #expect(await kind { _ = try await store.read(DocumentKey(number: 1)) } == .replaced)
    #expect(await kind { _ = try SQLiteFactorStore(path: file.path) } == .missing)
  }
}
#endif
