#if SQLite
import GRDB
import MultiFactor

/// The versions of the tables.
enum Migrations {
  /// Names and hashes are BLOBs, which SQLite compares byte by byte, NUL or not. Numbers up to 2^64 - 1 are stored as
  /// ``Column/ordered(_:)`` says, times in milliseconds since 1970.
  private static let migrator: DatabaseMigrator = {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1", foreignKeyChecks: .immediate) { db in
      try db.execute(
        sql: """
          CREATE TABLE accounts (
            id INTEGER PRIMARY KEY,
            user BLOB NOT NULL UNIQUE,
            generation INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            cleared INTEGER NOT NULL,
            acceptances INTEGER NOT NULL,
            last_attempt INTEGER
          );
          CREATE TABLE factors (
            id INTEGER PRIMARY KEY,
            account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
            uid BLOB NOT NULL UNIQUE,
            kind TEXT NOT NULL,
            display_name BLOB,
            enrolled INTEGER NOT NULL,
            sealed BLOB NOT NULL,
            unique_key BLOB,
            last_accepted INTEGER,
            drift INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            cleared INTEGER NOT NULL,
            acceptances INTEGER NOT NULL,
            last_attempt INTEGER,
            UNIQUE (account, unique_key)
          );
          CREATE TABLE spent_uids (uid BLOB PRIMARY KEY) WITHOUT ROWID;
          CREATE TABLE recovery_codes (
            account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
            hash BLOB NOT NULL,
            PRIMARY KEY (account, hash)
          ) WITHOUT ROWID;
          CREATE TABLE challenges (
            user BLOB NOT NULL,
            id BLOB NOT NULL,
            factor BLOB,
            number_key BLOB NOT NULL,
            sealed_number BLOB NOT NULL,
            code_hash BLOB NOT NULL,
            expiry INTEGER NOT NULL,
            tries INTEGER NOT NULL,
            active INTEGER NOT NULL,
            PRIMARY KEY (user, id)
          ) WITHOUT ROWID;
          CREATE INDEX challenges_by_expiry ON challenges (expiry);
          CREATE TABLE messages (
            id INTEGER PRIMARY KEY,
            user BLOB NOT NULL,
            number_key BLOB NOT NULL,
            time INTEGER NOT NULL
          );
          CREATE INDEX messages_by_user ON messages (user, time);
          CREATE INDEX messages_by_number ON messages (number_key, time);
          CREATE INDEX messages_by_time ON messages (time);
          PRAGMA application_id = \(DatabaseFile.applicationID);
          """)
    }
    return migrator
  }()

  /// Refuses a file of another program, or of a newer version of this one. It looks at one moment of the file: another
  /// process may be making the tables.
  static func checkOrigin(_ db: Database) throws {
    try db.inTransaction(.deferred) {
      let isOurs = try Int64.fetchOne(db, sql: "PRAGMA application_id") == DatabaseFile.applicationID
      // What is left of a process that ended while it created the file is that table, and nothing else.
      let others = "SELECT EXISTS (SELECT * FROM sqlite_master WHERE tbl_name <> 'grdb_migrations')"
      if !isOurs, try Bool.fetchOne(db, sql: others) == true { throw SQLiteFactorStoreError(.notADatabase) }
      if try migrator.hasBeenSuperseded(db) { throw SQLiteFactorStoreError(.newerVersion) }
      return .commit
    }
  }

  /// Brings the tables to this version.
  static func run(on database: some DatabaseWriter) throws {
    // GRDB looks which migrations are missing before it has the file to itself: where another process was quicker, what
    // it has done is an error here, and no longer missing at the next look.
    for _ in migrator.migrations {
      do {
        return try migrator.migrate(database)
      } catch {
        if try database.read(migrator.hasCompletedMigrations) { return }
        guard (error as? DatabaseError)?.resultCode != .SQLITE_BUSY else { throw error }
      }
    }
    try migrator.migrate(database)
  }
}
#endif
