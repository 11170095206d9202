#if SQLite
import GRDB

// Every statement is prepared once for each connection.
extension Database {
  /// Runs a statement that returns no rows.
  func run(_ sql: String, _ arguments: DatabaseValue...) throws {
    try cachedStatement(sql: sql).execute(arguments: StatementArguments(arguments))
  }

  /// Runs a statement, and says how many rows it has changed.
  func change(_ sql: String, _ arguments: DatabaseValue...) throws -> Int {
    try cachedStatement(sql: sql).execute(arguments: StatementArguments(arguments))
    return changesCount
  }

  /// The first row.
  func first(_ sql: String, _ arguments: DatabaseValue...) throws -> Columns? {
    try Row.fetchOne(cachedStatement(sql: sql), arguments: StatementArguments(arguments)).map { Columns($0) }
  }

  /// All rows.
  func all(_ sql: String, _ arguments: DatabaseValue...) throws -> [Columns] {
    try Row.fetchAll(cachedStatement(sql: sql), arguments: StatementArguments(arguments)).map { Columns($0) }
  }
}
#endif
