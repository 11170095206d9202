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
/// Every function throws only ``SQLiteFactorStoreError`` or what `change` throws. An update is made even if its task is
/// cancelled.
public final class SQLiteFactorStore: FactorStore {
  /// The file.
  public let path: String

  let pool: DatabasePool
  let changes: WriteQueue

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: The file's path. Its folder must exist, and be on a local disk, not on a network file system.
  ///   - createIfMissing: Whether a missing file is created. A mistyped path then yields a store without users, which
  ///     turns all second factors off: pass `true` only to set up a store.
  /// - Throws: ``SQLiteFactorStoreError`` with `missing`, `cannotOpen`, `notADatabase`, `olderVersion`, `newerVersion`,
  ///   `corrupt` or `busy`.
  public convenience init(path: String, createIfMissing: Bool = false) throws {
    try self.init(path: path, createIfMissing: createIfMissing, busyAttempts: BusyWait.attempts)
  }

  init(path: String, createIfMissing: Bool, busyAttempts: Int) throws {
    self.path = path
    let busyWait = BusyWait(attempts: busyAttempts)
    pool = try DatabaseFile.pool(path, createIfMissing: createIfMissing, busyWait: busyWait)
    changes = WriteQueue(pool: pool, busyWait: busyWait)
  }

  /// See `FactorStore.document(_:)`.
  public func document(_ key: DocumentKey) async throws -> [UInt8]? {
    try read { try $0.document(key) }
  }

  /// See `FactorStore.update(_:_:)`.
  public func update<R: Sendable>(
    _ key: DocumentKey, _ change: @escaping @Sendable (inout [UInt8]?) throws -> R
  ) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      changes.enqueue(
        WriteQueue.Change(
          make: { db in
            let old = try db.document(key)
            var new = old
            let result = Result { try change(&new) }
            if case .success = result, new != old { try db.replace(key, by: new) }
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
        guard let key = try DocumentKey(bytes: row.bytes()) else { throw SQLiteFactorStoreError(.corrupt) }
        return key
      }
    }
  }

  /// Reads with one statement, and so at one moment, on the task's own thread: waking another one would cost more.
  private func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    do { return try pool.unsafeRead(body) } catch { throw SQLiteFactorStoreError(error) }
  }
}

extension Database {
  fileprivate func document(_ key: DocumentKey) throws -> [UInt8]? {
    try run("SELECT document FROM documents WHERE key = ?", key.bytes)
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
  /// - Returns: The bytes in the only column of the first row; `nil` if there is no row.
  @discardableResult
  private func run(_ sql: String, _ arguments: [UInt8]...) throws -> [UInt8]? {
    let statement = unsafe try cachedStatement(sql: sql).sqliteStatement
    defer { unsafe sqlite3_reset(statement) }
    // SQLite copies the bytes.
    let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    for (index, bytes) in arguments.enumerated() {
      let code = unsafe sqlite3_bind_blob(statement, Int32(index + 1), bytes, Int32(bytes.count), copied)
      guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
    switch unsafe sqlite3_step(statement) {
    case SQLITE_DONE: return nil
    case SQLITE_ROW:
      guard unsafe sqlite3_column_type(statement, 0) == SQLITE_BLOB else { throw SQLiteFactorStoreError(.corrupt) }
      let bytes = unsafe sqlite3_column_blob(statement, 0)
      return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, 0))))
    case let code: throw DatabaseError(resultCode: ResultCode(rawValue: code))
    }
  }
}

extension Row {
  /// The bytes in the row's only column; any other type is an error, because the store never writes it.
  fileprivate func bytes() throws -> [UInt8] {
    let value: DatabaseValue = self[0]
    guard case .blob(let data) = value.storage else { throw SQLiteFactorStoreError(.corrupt) }
    return Array(data)
  }
}
#else
import MultiFactor

/// A placeholder while the trait is off, so that the compiler says what is missing. It stands for a type that is a
/// store; otherwise another error would hide this one.
@available(*, unavailable, message: "needs swift-otp's trait SQLite: .package(…, traits: [\"SQLite\"])")
public typealias SQLiteFactorStore = InMemoryFactorStore

extension InMemoryFactorStore {
  /// A placeholder for the initialiser.
  @available(*, unavailable, message: "SQLiteFactorStore(path:createIfMissing:) needs swift-otp's trait SQLite")
  public convenience init(path: String, createIfMissing: Bool = false) throws { self.init() }
}

/// A placeholder for the error type.
@available(*, unavailable, message: "needs swift-otp's trait SQLite: .package(…, traits: [\"SQLite\"])")
public struct SQLiteFactorStoreError: Error {}
#endif
