import Foundation
import GRDB
import MultiFactor

/// A user, as this site knows one. Second factors are `MultiFactor`'s.
struct Account: Sendable, Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "account"

  /// What `MultiFactor` calls the user: never given to another, and not the address, which can change.
  let id: String
  /// In lower case.
  let email: String
  var password: PasswordHash
  var isVerified: Bool
  /// What the link that proves the address has in it.
  var verification: String?

  var principal: Principal { Principal(id: id, email: email, isEmailVerified: isVerified) }
}

/// Users and web sessions, in one SQLite file. (Second factors are in another: a store that is `MultiFactor`'s own.)
struct Accounts: Sendable {
  let database: DatabasePool

  /// Opens the file, or makes it.
  init(path: String) throws {
    database = try DatabasePool(path: path)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { db in
      try db.create(table: "account") { table in
        table.primaryKey("id", .text)
        table.column("email", .text).notNull().unique()
        table.column("password", .text).notNull()
        table.column("isVerified", .boolean).notNull()
        table.column("verification", .text).unique()
      }
      try db.create(table: "session") { table in
        table.primaryKey("name", .blob)
        table.column("accountID", .text).indexed()
        table.column("content", .text).notNull()
        table.column("expiry", .datetime).notNull().indexed()
      }
    }
    try migrator.migrate(database)
  }

  func account(id: String) async throws -> Account? {
    try await database.read { db in try Account.fetchOne(db, key: id) }
  }

  func account(email: String) async throws -> Account? {
    try await database.read { db in try Account.filter(Column("email") == email.lowercased()).fetchOne(db) }
  }

  func account(verification: String) async throws -> Account? {
    try await database.read { db in try Account.filter(Column("verification") == verification).fetchOne(db) }
  }

  /// Adds a user; `false` if the address is somebody's already. One who has not proved it has no claim to it.
  func add(_ account: Account) async throws -> Bool {
    try await database.write { db in
      let others = Account.filter(Column("email") == account.email)
      guard try others.filter(Column("isVerified")).isEmpty(db) else { return false }
      try others.deleteAll(db)
      try account.insert(db)
      return true
    }
  }

  func update(_ account: Account) async throws {
    try await database.write { db in try account.update(db) }
  }
}
