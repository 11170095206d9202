#if SQLite
import Foundation
import GRDB
import GRDBSQLite
import MultiFactor

/// A store in one SQLite file, which several processes on one machine can use at once.
///
/// The file is in WAL mode with `synchronous=FULL`: when an update returns, its change survives a power failure. A
/// change runs once, inside `BEGIN IMMEDIATE`, in a transaction that it shares with other waiting changes. One that
/// leaves the document as it was writes nothing, and does not wait for the disk. A read sees the data at one moment,
/// and does not wait for changes.
///
/// The file is for the store's exclusive use. It is created with mode 0600; SQLite's `-wal` and `-shm` files get the
/// same mode, and belong to it: copy the file with SQLite's own tools, or when no process has it open.
///
/// A process that opens the file by another name, or finds another file or log under its name, has another store, in
/// which what is spent here is not spent. So the store refuses a file that has several names, such as one that is
/// mounted by itself into a container (mount its folder); and with each read and each change, it checks that its names
/// still lead to the files that it opened.
///
/// Every function throws only `FactorStoreError` or what `change` throws. An update is made even if its task is
/// cancelled.
public final class SQLiteFactorStore: FactorStore {
  /// The file's path, as it was given.
  public let path: String

  let pool: DatabasePool
  let changes: WriteQueue
  private let identity: FileIdentity

  /// Opens a file that ``create(path:)`` made.
  ///
  /// - Parameter path: The file's path. It must be on a local disk, not on a network file system.
  /// - Throws: `FactorStoreError` with `missing`, `cannotOpen`, `severalNames`, `replaced` (another process still uses
  ///   a log that was removed), `foreign`, `olderVersion`, `newerVersion`, `corrupt`, `full` or `timeout`.
  public convenience init(path: String) throws {
    try self.init(path: path, busyAttempts: BusyWait.attempts)
  }

  init(path: String, busyAttempts: Int) throws {
    self.path = path
    let busyWait = BusyWait(attempts: busyAttempts)
    (pool, identity) = try DatabaseFile.open(path, busyWait: busyWait)
    changes = WriteQueue(pool: pool, identity: identity, busyWait: busyWait)
  }

  /// Creates an empty store: once, when a server is set up, never at its start. A store without users turns all second
  /// factors off.
  ///
  /// - Parameter path: The new file's path, in an existing folder.
  /// - Returns: The store, opened.
  /// - Throws: `FactorStoreError` with `exists`, `full` or `cannotOpen`.
  @discardableResult
  public static func create(path: String) throws -> SQLiteFactorStore {
    try DatabaseFile.create(path)
    return try SQLiteFactorStore(path: path)
  }

  /// See `FactorStore.read(_:)`.
  public func read(_ key: DocumentKey) async throws -> StoredDocument {
    try read { try $0.stored(key) }
  }

  /// See `FactorStore.change(_:_:)`.
  public func change<R: Sendable>(
    _ key: DocumentKey, _ change: @escaping @Sendable (inout StoredDocument) throws -> R
  ) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      changes.enqueue(
        WriteQueue.Change(
          make: { db in
            let old = try db.stored(key)
            var new = old
            let result = Result { try change(&new) }
            if case .success = result, new.bytes != old.bytes { try db.replace(key, by: new.bytes) }
            return { continuation.resume(with: result) }
          },
          fail: { continuation.resume(throwing: $0) }))
    }
  }

  /// See `FactorStore.keys(after:limit:)`.
  public func keys(after key: DocumentKey?, limit: Int) async throws -> [DocumentKey] {
    try read { db in
      // No key is empty, so all of them are greater than x''.
      let rows = try Row.fetchAll(
        db.cachedStatement(sql: "SELECT key FROM documents WHERE key > coalesce(?, x'') ORDER BY key LIMIT ?"),
        arguments: [key.map { Data($0.bytes) }, max(0, limit)])
      return try rows.map { row in
        // The store never writes any other type.
        guard case .blob(let bytes) = (row[0] as DatabaseValue).storage, let key = DocumentKey(bytes: Array(bytes))
        else { throw FactorStoreError(.corrupt) }
        return key
      }
    }
  }

  /// Reads with one statement, and so at one moment, on the task's own thread: waking another one would cost more.
  private func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    // Before, since a connection that the pool opens only now finds the file by its name, and creates a missing log.
    try identity.check()
    do { return try pool.unsafeRead(body) } catch { throw FactorStoreError(error) }
  }
}

extension Database {
  /// The document or, if there is none, the mark, with one statement.
  fileprivate func stored(_ key: DocumentKey) throws -> StoredDocument {
    let row = try run(
      """
      SELECT held.document,
        CASE WHEN held.key IS NULL THEN (SELECT document FROM documents WHERE key = ?2) END
      FROM (SELECT 1) LEFT JOIN documents AS held ON held.key = ?1
      """, key.bytes, DocumentKey.mark.bytes)
    guard row.count == 2 else { throw FactorStoreError(.corrupt) }
    return StoredDocument(row[0]) { row[1] }
  }

  fileprivate func replace(_ key: DocumentKey, by document: [UInt8]?) throws {
    if let document {
      // An empty array may be bound as NULL.
      try run("REPLACE INTO documents (key, document) VALUES (?, coalesce(?, x''))", key.bytes, document)
    } else {
      try run("DELETE FROM documents WHERE key = ?", key.bytes)
    }
  }

  /// Runs a statement, which is prepared once for each connection, with SQLite's own functions: with GRDB's, a change
  /// would take a quarter longer.
  ///
  /// - Returns: The columns of the first row: bytes, or `nil` for NULL. Empty if there is no row.
  @discardableResult
  private func run(_ sql: String, _ arguments: [UInt8]...) throws -> [[UInt8]?] {
    let statement = unsafe try cachedStatement(sql: sql).sqliteStatement
    defer { unsafe sqlite3_reset(statement) }
    // SQLite copies the bytes.
    let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    for (index, bytes) in arguments.enumerated() {
      let code = unsafe sqlite3_bind_blob(statement, Int32(index + 1), bytes, Int32(bytes.count), copied)
      guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
    switch unsafe sqlite3_step(statement) {
    case SQLITE_DONE: return []
    case SQLITE_ROW:
      return unsafe try (0..<sqlite3_column_count(statement)).map { column in
        switch unsafe sqlite3_column_type(statement, column) {
        case SQLITE_NULL: return nil
        case SQLITE_BLOB:
          let bytes = unsafe sqlite3_column_blob(statement, column)
          return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
        default: throw FactorStoreError(.corrupt)
        }
      }
    case let code: throw DatabaseError(resultCode: ResultCode(rawValue: code))
    }
  }
}
#else
import MultiFactor

/// A placeholder while the trait is off, so that the compiler says what is missing. It stands for a type that is a
/// store; otherwise another error would hide this one.
@available(*, unavailable, message: "needs swift-otp's trait SQLite: .package(…, traits: [\"SQLite\"])")
public typealias SQLiteFactorStore = InMemoryFactorStore

extension InMemoryFactorStore {
  /// A placeholder for the initializer.
  @available(*, unavailable, message: "SQLiteFactorStore(path:) needs swift-otp's trait SQLite")
  public convenience init(path: String) throws { self.init() }
}
#endif
