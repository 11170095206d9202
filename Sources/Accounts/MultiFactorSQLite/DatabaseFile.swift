#if SQLite
import Foundation
import GRDB
import MultiFactor

/// Creates and opens the file of a store.
enum DatabaseFile {
  /// The application ID in SQLite's header: "mfd1". Before the store kept documents, it was "mfa1".
  static let applicationID: Int64 = 0x6D66_6431
  private static let olderApplicationID: Int64 = 0x6D66_6131
  private static let version: Int64 = 1

  /// Closing any descriptor of a file drops all locks that SQLite holds on it in this process. So while a file is being
  /// created here, no other store may open it.
  private static let opening = NSLock()

  /// Opens the file.
  ///
  /// - Parameter busyWait: How its connections wait for another process.
  /// - Returns: Its connections, and which files they have open.
  /// - Throws: `FactorStoreError`.
  static func open(_ path: String, busyWait: BusyWait) throws -> (pool: DatabasePool, identity: FileIdentity) {
    do {
      return try opening.withLock {
        guard try isThere(path) else { throw FactorStoreError(.missing) }
        // Connections are opened later, too, when the process may be in another folder.
        let path = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        try FileIdentity.checkHasOneName(path)
        try checkIsNotInUse(withAnotherLog: path, busyWait)
        var configuration = configuration()
        configuration.busyMode = .callback { busyWait.isWorthwhile(after: $0) }
        configuration.prepareDatabase { db in
          // Before GRDB changes anything, because it may be another program's file.
          if !db.configuration.readonly { try checkOrigin(db) }
        }
        // The log and its index exist from now on, until the last connection of any process is closed.
        let pool = try DatabasePool(path: plainName(path), configuration: configuration)
        // GRDB switches to NORMAL when it opens the file, with which the last commits do not survive a power failure.
        try pool.writeWithoutTransaction { db in
          try db.execute(sql: "PRAGMA synchronous = FULL")
          guard try Int.fetchOne(db, sql: "PRAGMA synchronous") == 2 else { throw FactorStoreError(.cannotOpen) }
        }
        return (pool, try FileIdentity(of: path))
      }
    } catch {
      throw openingError(error, path)
    }
  }

  /// Converts an error. What SQLite cannot create on a full disk, it cannot open. (Only its own errors have a code.)
  private static func openingError(_ error: any Error, _ path: String) -> FactorStoreError {
    let error = FactorStoreError(error, otherwise: .cannotOpen)
    var disk = statvfs()
    // The log's index begins with 32 KiB.
    guard error.kind == .cannotOpen, error.code != nil, unsafe statvfs(folder(of: path), &disk) == 0,
      UInt64(disk.f_bavail) <= 65_535 / max(UInt64(disk.f_frsize), 1)
    else { return error }
    return FactorStoreError(.full, code: error.code)
  }

  /// The folder is found by bytes, because Foundation's `deletingLastPathComponent` crashes on a path of one letter.
  private static func folder(of path: String) -> String {
    let end = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
    return end == path.startIndex ? "." : String(path[..<end])
  }

  /// Refuses a file that another process has open with a log that is no longer here: it was removed, and SQLite would
  /// create another one, without the changes in the first.
  private static func checkIsNotInUse(withAnotherLog path: String, _ busyWait: BusyWait) throws {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      // Now the first read locks the file for this connection only, and needs no index of the log.
      try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
      try checkOrigin(db)
    }
    var attempt = 0
    while !FileIdentity.hasLog(path) {
      do {
        return try DatabaseQueue(path: plainName(path), configuration: configuration).close()
      } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
        // A process that is just opening or closing the store is done soon.
        guard busyWait.isWorthwhile(after: attempt) else { throw FactorStoreError(.replaced) }
        attempt += 1
      }
    }
  }

  /// Whether there is a file, or anything else, at the path.
  private static func isThere(_ path: String) throws(FactorStoreError) -> Bool {
    guard !path.isEmpty, path != ":memory:", !path.utf8.contains(0) else { throw FactorStoreError(.cannotOpen) }
    guard unsafe access(path, F_OK) != 0 else { return true }
    guard errno == ENOENT || errno == ENOTDIR else { throw FactorStoreError(.cannotOpen) }
    return false
  }

  /// Creates the file.
  ///
  /// It is created under another name, and linked to its own when complete, so that no process ever finds an incomplete
  /// file.
  ///
  /// - Throws: `FactorStoreError` with `exists`, `full` or `cannotOpen`.
  static func create(_ path: String) throws {
    do {
      try opening.withLock {
        guard try !isThere(path) else { throw FactorStoreError(.exists) }
        try createMissing(path)
      }
    } catch {
      throw openingError(error, path)
    }
  }

  private static func createMissing(_ path: String) throws {
    let temporary = FileIdentity.newName(of: path)
    defer { for suffix in ["", "-wal", "-shm"] { unsafe unlink(temporary + suffix) } }
    // Only its owner can read it. SQLite gives its mode to `-wal` and `-shm`.
    let descriptor = unsafe Foundation.open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FactorStoreError(errno == ENOSPC ? .full : .cannotOpen) }
    close(descriptor)
    let queue = try DatabaseQueue(path: plainName(temporary), configuration: configuration())
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE documents (key BLOB PRIMARY KEY NOT NULL, document BLOB NOT NULL) WITHOUT ROWID;
          PRAGMA application_id = \(applicationID);
          PRAGMA user_version = \(version);
          """)
    }
    // Closing the last connection empties the log.
    try queue.close()
    guard unsafe link(temporary, path) == 0 else {
      // A dangling symbolic link exists too.
      throw FactorStoreError(errno == EEXIST ? .exists : .cannotOpen)
    }
    // The directory entry must be durable as well as the contents.
    let folder = unsafe Foundation.open(Self.folder(of: path), O_RDONLY | O_CLOEXEC)
    if folder >= 0 {
      fsync(folder)
      close(folder)
    }
  }

  /// The path in a form that SQLite takes literally: one that starts with `file:` could be taken for a URI, and lead to
  /// another file.
  private static func plainName(_ path: String) -> String { path.hasPrefix("/") ? path : "./\(path)" }

  private static func configuration() -> Configuration {
    var configuration = Configuration()
    configuration.label = "FactorStore"
    configuration.journalMode = .wal
    configuration.prepareDatabase { db in
      // On macOS, `fsync` leaves data in the drive's cache. Elsewhere this does nothing.
      try db.execute(sql: "PRAGMA fullfsync = 1")
    }
    return configuration
  }

  /// Refuses a file of another program, or of another version of this store.
  private static func checkOrigin(_ db: Database) throws {
    let version = try Int64.fetchOne(db, sql: "PRAGMA user_version")
    switch try Int64.fetchOne(db, sql: "PRAGMA application_id") {
    case applicationID where version == Self.version: break
    case applicationID: throw FactorStoreError(.newerVersion)
    case olderApplicationID: throw FactorStoreError(.olderVersion)
    default: throw FactorStoreError(.foreign)
    }
  }
}
#endif
