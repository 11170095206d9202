import Foundation
import GRDB
import MultiFactor
import Synchronization

/// A folder for an emulator's state between runs: a SQLite file with accounts, configurations, codes and sealed second
/// factors, and the keyring with which those are sealed. Only their owner can read them.
final class DataFolder: Sendable {
  /// The application ID in SQLite's header: "aue1".
  private static let applicationID: Int64 = 0x6175_6531

  let file: String
  let keyringFile: String
  private let database: DatabaseQueue
  /// Which file was opened: writes to a file that is no longer in the folder would be lost.
  private let number: UInt64

  /// Opens or creates a folder, for this process only.
  ///
  /// - Throws: ``DataFolderError``, also if another process has it open.
  init(path: String) throws {
    let url = URL(fileURLWithPath: path, isDirectory: true)
    file = url.appendingPathComponent("emulator.sqlite").path
    keyringFile = url.appendingPathComponent("keyring.json").path
    let old = url.appendingPathComponent("state.json").path
    guard !FileManager.default.fileExists(atPath: old) else {
      throw DataFolderError(old, Self.howToImport)
    }
    do { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) } catch {
      throw DataFolderError(path, "the folder cannot be created")
    }
    try Self.create(file)
    do {
      database = try DatabaseQueue(path: file, configuration: Self.configuration)
      try database.writeWithoutTransaction { try Self.prepare($0) }
    } catch {
      throw Self.error(error, file, folder: path)
    }
    guard let number = Self.number(of: file) else { throw DataFolderError(file, "it was removed") }
    self.number = number
  }

  private static let howToImport =
    "it was written by an earlier version. Export it with that version (--data … --export-on-exit DIR), and start this "
    + "one with --import DIR and another folder for --data. That export has the users of the default project only, and no "
    + "secrets of TOTP factors, which must be enrolled again"

  /// Creates the file, if there is none.
  private static func create(_ file: String) throws {
    // SQLite gives its mode to the log.
    let descriptor = unsafe Foundation.open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      guard errno == EEXIST else { throw DataFolderError(file, "it cannot be created (errno \(errno))") }
      return
    }
    Foundation.close(descriptor)
  }

  private static var configuration: Configuration {
    var configuration = Configuration()
    // The log needs no wait for the disk at each commit. What is in it survives the process, but after a power failure
    // the last changes may be missing.
    configuration.journalMode = .wal
    configuration.prepareDatabase { db in
      // From the first access to the end of the process, no other process can open the file.
      try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA wal_autocheckpoint = 4000")
      try db.execute(sql: "BEGIN IMMEDIATE; COMMIT")
    }
    return configuration
  }

  private static func prepare(_ db: Database) throws {
    if try Int64.fetchOne(db, sql: "PRAGMA application_id") == 0, try !db.tableExists("entries") {
      try db.inTransaction {
        try db.execute(
          sql: """
            CREATE TABLE documents (key BLOB PRIMARY KEY NOT NULL, document BLOB NOT NULL) WITHOUT ROWID;
            CREATE TABLE entries (
              project TEXT NOT NULL, tenant TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL,
              UNIQUE (project, tenant, kind, name));
            PRAGMA application_id = \(applicationID);
            PRAGMA user_version = 1;
            """)
        return .commit
      }
    }
    guard try Int64.fetchOne(db, sql: "PRAGMA application_id") == applicationID,
      try Int64.fetchOne(db, sql: "PRAGMA user_version") == 1
    else { throw DatabaseError(resultCode: .SQLITE_NOTADB) }
  }

  /// The file's number in its file system; `nil` if there is no file at the path.
  private static func number(of file: String) -> UInt64? {
    var status = stat()
    guard unsafe stat(file, &status) == 0 else { return nil }
    return UInt64(status.st_ino)
  }
}

// Reading and writing.
extension DataFolder {
  /// Reads all second factors. A request may have been interrupted between a change of an account and one of its
  /// factors: users with factors are marked as such, and factors without an account are removed.
  func load(into store: InMemoryFactorStore, of state: inout Emulator.State) async throws {
    let documents = try read { db in
      try Row.fetchAll(db, sql: "SELECT key, document FROM documents").map { row in
        (try value(0, of: row) as Data, try value(1, of: row) as Data)
      }
    }
    for (name, document) in documents {
      guard let key = DocumentKey(bytes: Array(name)) else { throw DataFolderError(file, "it is damaged (a key)") }
      if let user = Emulator.userName(of: key) {
        guard state.marksFactors(of: user) else {
          try write([Change(subject: .document(key), value: nil)])
          continue
        }
      }
      try await store.update(key) { $0 = Array(document) }
    }
  }

  /// Reads everything else.
  func state() throws -> Emulator.State {
    try read { db in
      var state = Emulator.State()
      let decoder = JSONDecoder()
      // In the order in which they were written: codes are listed in this order.
      let rows = try Row.fetchCursor(db, sql: "SELECT project, tenant, kind, name, value FROM entries ORDER BY rowid")
      while let row = try rows.next() {
        let project: String = try value(0, of: row)
        let (tenant, kind): (String, String) = (try value(1, of: row), try value(2, of: row))
        do {
          try state.restore(
            RealmName(project: project, tenant: tenant.isEmpty ? nil : tenant), Change.Kind(rawValue: kind),
            try value(3, of: row), try value(4, of: row), decoder)
        } catch {
          throw DataFolderError(file, "it is damaged (\(kind) of \(project))")
        }
      }
      return state
    }
  }

  /// A column's value, whatever a damaged file has there.
  private func value<Value: DatabaseValueConvertible>(_ column: Int, of row: Row) throws -> Value {
    guard let value = Value.fromDatabaseValue(row[column] as DatabaseValue) else {
      throw DataFolderError(file, "it is damaged")
    }
    return value
  }

  private func read<R>(_ body: (Database) throws -> R) throws -> R {
    do { return try database.read(body) } catch { throw Self.error(error, file) }
  }

  /// Writes changes in one transaction.
  ///
  /// - Throws: ``DataFolderError``; then none of them is written.
  func write(_ changes: [Change]) throws {
    guard !changes.isEmpty else { return }
    guard Self.number(of: file) == number, unsafe access(file + "-wal", F_OK) == 0 else {
      throw DataFolderError(file, "it was removed or replaced, so nothing can be saved")
    }
    do {
      try database.write { db in
        let encoder = JSONEncoder()
        for change in Self.lastChanges(changes) { try Self.write(change, db, encoder) }
      }
    } catch {
      throw Self.error(error, file)
    }
  }

  /// Moves the log's contents into the file.
  func close() throws {
    do { try database.close() } catch { throw Self.error(error, file) }
  }

  /// The changes, without those that later ones replace.
  private static func lastChanges(_ changes: [Change]) -> [Change] {
    var seen: Set<Change.Subject> = []
    return changes.reversed().filter { seen.insert($0.subject).inserted }.reversed()
  }

  private static func write(_ change: Change, _ db: Database, _ encoder: JSONEncoder) throws {
    let value: Data? =
      switch change.value {
      case .json(let value): try encoder.encode(value)
      case .bytes(let bytes): Data(bytes)
      case nil: nil
      }
    func run(_ sql: String, _ arguments: StatementArguments) throws {
      try db.cachedStatement(sql: sql).execute(arguments: arguments)
    }
    switch change.subject {
    case .document(let key):
      if let value {
        try run("REPLACE INTO documents (key, document) VALUES (?, ?)", [Data(key.bytes), value])
      } else {
        try run("DELETE FROM documents WHERE key = ?", [Data(key.bytes)])
      }
    case .entry(let realm, let kind, let name):
      if let value {
        try run(
          """
          INSERT INTO entries (project, tenant, kind, name, value) VALUES (?, ?, ?, ?, ?)
          ON CONFLICT (project, tenant, kind, name) DO UPDATE SET value = excluded.value
          """, [realm.project, realm.tenant ?? "", kind.rawValue, name, value])
      } else {
        try run(
          "DELETE FROM entries WHERE project = ? AND tenant = ? AND kind = ? AND name = ?",
          [realm.project, realm.tenant ?? "", kind.rawValue, name])
      }
    case .all(let realm, let kind):
      try run(
        "DELETE FROM entries WHERE project = ?1 AND tenant = ?2 AND (?3 IS NULL OR kind = ?3)",
        [realm.project, realm.tenant ?? "", kind?.rawValue])
    }
  }

  /// Names the file, and says in plain words what SQLite reported.
  private static func error(_ error: any Error, _ file: String, folder: String? = nil) -> any Error {
    guard let error = error as? DatabaseError else { return error }
    switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      return DataFolderError(folder ?? file, "it is in use by another auth-emulator")
    case .SQLITE_NOTADB: return DataFolderError(file, "it was not written by this version of auth-emulator")
    case .SQLITE_CORRUPT: return DataFolderError(file, "it is damaged")
    default: return DataFolderError(file, "it cannot be read or written (SQLite \(error.extendedResultCode.rawValue))")
    }
  }
}

// The keyring.
extension DataFolder {
  /// The keyring of the second factors. Only a store that has never been used gets a new one.
  func keyring(for store: JournaledStore) async throws -> Keyring {
    do {
      if await store.read(.mark).bytes == nil {
        try await MultiFactorAuth.createStore(keyringFile: keyringFile) { store.creating }
      }
      let keyring = try Keyring(file: keyringFile)
      // Checks that they belong together.
      _ = try await MultiFactorAuth(
        configuration: MultiFactorConfiguration(state: .disabled, providerConfigs: []), store: store, keyring: keyring)
      return keyring
    } catch let error as KeyringError {
      switch error.kind {
      case .cannotRead where error.systemError == ENOENT:
        throw DataFolderError(
          keyringFile, "it is missing, and \(file) cannot be read without it. Restore it, or remove the data too")
      case .exists, .boundToAnotherStore: throw DataFolderError(keyringFile, Self.foreign(file))
      default: throw DataFolderError(keyringFile, "it cannot be used (\(error))")
      }
    } catch is ConfigurationError {
      throw DataFolderError(keyringFile, Self.foreign(file))
    }
  }

  private static func foreign(_ file: String) -> String {
    "it does not belong to \(file). Restore the right one of the two, or remove both to start without data"
  }
}

/// Why data cannot be read or written: a file or folder, and what is wrong with it.
struct DataFolderError: Error, CustomStringConvertible {
  let path: String
  let text: String

  init(_ path: String, _ text: String) {
    self.path = path
    self.text = text
  }

  var description: String { "\(path): \(text)" }
}
