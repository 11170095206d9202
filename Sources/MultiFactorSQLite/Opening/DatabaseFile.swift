#if SQLite
import Foundation
import GRDB
import MultiFactor

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The file of a store: how it is created and opened.
enum DatabaseFile {
  /// What SQLite's header says that the file is of: "mfa1".
  static let applicationID: Int64 = 0x6D66_6131

  /// Closing any descriptor of a file drops the locks that SQLite holds on it for the whole process. So while a file is
  /// being created here, no other store opens it.
  private static let opening = NSLock()

  /// Opens the file, creates it if there is none, and brings it to this version.
  ///
  /// - Parameter busyWait: How its connections wait for another process.
  /// - Throws: `SQLiteFactorStoreError`.
  static func open(_ path: String, busyWait: BusyWait) throws -> DatabasePool {
    do {
      return try opening.withLock {
        try create(path, busyWait: busyWait)
        let pool = try DatabasePool(path: plainName(path), configuration: configuration(busyWait))
        // GRDB turns to NORMAL on opening, under which the last commits do not survive a loss of power.
        try pool.writeWithoutTransaction { db in
          try db.execute(sql: "PRAGMA synchronous = FULL")
          guard try Int.fetchOne(db, sql: "PRAGMA synchronous") == 2 else { throw SQLiteFactorStoreError(.cannotOpen) }
        }
        try Migrations.run(on: pool)
        return pool
      }
    } catch {
      throw SQLiteFactorStoreError(error, otherwise: .cannotOpen)
    }
  }

  /// Creates the file with its tables, unless there is one.
  ///
  /// It is made under another name, and linked to its own when it is whole: whoever finds it, in whatever process, finds
  /// all of it. Processes that make tables in one new file at once would meet each other's halves.
  private static func create(_ path: String, busyWait: BusyWait) throws {
    guard !path.isEmpty, path != ":memory:", !path.utf8.contains(0) else { throw SQLiteFactorStoreError(.cannotOpen) }
    guard !FileManager.default.fileExists(atPath: path) else { return }
    let temporary = "\(path).\(UUID().uuidString).new"
    defer { for suffix in ["", "-wal", "-shm"] { unsafe unlink(temporary + suffix) } }
    try createEmpty(temporary)
    let queue = try DatabaseQueue(path: plainName(temporary), configuration: configuration(busyWait))
    try Migrations.run(on: queue)
    // The last connection leaves nothing in the log.
    try queue.close()
    guard unsafe link(temporary, path) == 0 || errno == EEXIST else { throw SQLiteFactorStoreError(.cannotOpen) }
    // A symbolic link that leads nowhere is not another process's file: SQLite would create what it leads to, for all to
    // read.
    guard FileManager.default.fileExists(atPath: path) else { throw SQLiteFactorStoreError(.cannotOpen) }
    // The file's name has to survive as well as what is in it. Its folder is found by bytes: Foundation's
    // `deletingLastPathComponent` ends the process at a path of one letter.
    let end = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
    let folder = openFile(String(path[..<end]), O_RDONLY | O_CLOEXEC, 0)
    if folder >= 0 {
      fsync(folder)
      close(folder)
    }
  }

  /// The path in a form that is nothing else to SQLite: where it begins with `file:`, it can be taken for a URI, and
  /// lead to another file.
  private static func plainName(_ path: String) -> String { path.hasPrefix("/") ? path : "./\(path)" }

  /// Creates an empty file that its owner alone can read. SQLite gives its mode to `-wal` and `-shm`.
  private static func createEmpty(_ path: String) throws {
    let descriptor = openFile(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SQLiteFactorStoreError(.cannotOpen) }
    close(descriptor)
  }

  private static func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    #if canImport(Glibc)
    unsafe Glibc.open(path.isEmpty ? "." : path, flags, mode)
    #elseif canImport(Musl)
    unsafe Musl.open(path.isEmpty ? "." : path, flags, mode)
    #else
    unsafe Darwin.open(path.isEmpty ? "." : path, flags, mode)
    #endif
  }

  private static func configuration(_ busyWait: BusyWait) -> Configuration {
    var configuration = Configuration()
    configuration.label = "FactorStore"
    configuration.foreignKeysEnabled = true
    configuration.journalMode = .wal
    configuration.busyMode = .callback { busyWait.isWorthwhile(after: $0) }
    configuration.prepareDatabase { db in
      // On macOS, `fsync` alone leaves data in the drive's cache. Elsewhere this does nothing.
      try db.execute(sql: "PRAGMA fullfsync = 1")
      // Before GRDB changes anything in what may be another program's file.
      if !db.configuration.readonly { try Migrations.checkOrigin(db) }
    }
    return configuration
  }
}
#endif
