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
  /// - Parameter busyAttempts: How many times a connection looks whether another process is done, before it gives up.
  /// - Throws: `SQLiteFactorStoreError`.
  static func open(_ path: String, busyAttempts: Int) throws -> DatabasePool {
    do {
      return try opening.withLock {
        try create(path)
        let pool = try DatabasePool(path: path, configuration: configuration(busyAttempts: busyAttempts))
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

  /// Creates an empty file that its owner alone can read, unless there is one. SQLite gives its mode to `-wal` and `-shm`.
  private static func create(_ path: String) throws {
    guard !path.isEmpty, path != ":memory:", !path.utf8.contains(0) else { throw SQLiteFactorStoreError(.cannotOpen) }
    let descriptor = openFile(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      if errno == EEXIST { return }
      throw SQLiteFactorStoreError(.cannotOpen)
    }
    close(descriptor)
    // The file's name has to survive as well as what will be in it.
    let folder = openFile((path as NSString).deletingLastPathComponent, O_RDONLY | O_CLOEXEC, 0)
    if folder >= 0 {
      fsync(folder)
      close(folder)
    }
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

  private static func configuration(busyAttempts: Int) -> Configuration {
    var configuration = Configuration()
    configuration.label = "FactorStore"
    configuration.foreignKeysEnabled = true
    configuration.journalMode = .wal
    configuration.busyMode = .callback { BusyWait.isWorthwhile(after: $0, of: busyAttempts) }
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
