#if SQLite
import GRDB

/// What stands for a `?`. As an existential: GRDB maps values of one type by a key path, which takes it as long as to
/// find the row.
typealias Argument = (any DatabaseValueConvertible)?

// Every statement is prepared once for each connection.
extension Database {
  /// Runs a statement that returns no rows.
  func run(_ sql: String, _ arguments: Argument...) throws {
    try cachedStatement(sql: sql).execute(arguments: StatementArguments(arguments))
  }

  /// Runs a statement, and says how many rows it has changed.
  func change(_ sql: String, _ arguments: Argument...) throws -> Int {
    try cachedStatement(sql: sql).execute(arguments: StatementArguments(arguments))
    return changesCount
  }

  /// The first row.
  func first(_ sql: String, _ arguments: Argument...) throws -> Columns? {
    try Row.fetchOne(cachedStatement(sql: sql), arguments: StatementArguments(arguments)).map { Columns($0) }
  }

  /// All rows.
  func all(_ sql: String, _ arguments: Argument...) throws -> [Columns] {
    try Row.fetchAll(cachedStatement(sql: sql), arguments: StatementArguments(arguments)).map { Columns($0) }
  }
}
#endif
