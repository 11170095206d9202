import CPostgreSQL
import Foundation

/// A small PostgreSQL client over libpq, enough for this program.
///
/// Each statement has a connection and a thread of its own. A server keeps a pool of connections: use your own client
/// library there.
struct Database: Sendable {
  /// In libpq's format, such as `postgresql://service@db/shop?sslmode=verify-full`.
  let connectionString: String

  struct Failure: Error { let message: String }

  /// Runs one statement, whose `$1`, `$2`, … are the values, in a transaction of its own.
  @discardableResult
  func query(_ sql: String, _ values: any DatabaseValue...) async throws -> [Row] {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try run(sql, values) }) }
    }
  }

  private func run(_ sql: String, _ values: [any DatabaseValue]) throws -> [Row] {
    let connection = PQconnectdb(connectionString)
    defer { PQfinish(connection) }
    let texts = values.map { strdup($0.databaseText) }
    defer { for text in texts { free(text) } }
    let result = PQexecParams(
      connection, sql, Int32(values.count), nil, texts.map { UnsafePointer($0) }, nil, nil, 0)
    defer { PQclear(result) }
    let status = PQresultStatus(result)
    guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else {
      throw Failure(message: String(cString: PQerrorMessage(connection)))
    }
    return (0..<PQntuples(result)).map { row in
      Row(
        columns: (0..<PQnfields(result)).map { column in
          PQgetisnull(result, row, column) == 1 ? nil : String(cString: PQgetvalue(result, row, column))
        })
    }
  }
}

/// One row of a result. Columns are numbered from 0.
struct Row: Sendable {
  let columns: [String?]

  /// A `bigint`; `nil` for NULL.
  func int64(_ index: Int) throws -> Int64? {
    guard let text = columns[index] else { return nil }
    guard let value = Int64(text) else { throw Database.Failure(message: "column \(index) is not a bigint") }
    return value
  }

  /// A `bytea` that is not NULL, in PostgreSQL's default format: `\x`, and two digits for each byte.
  func bytes(_ index: Int) throws -> [UInt8] {
    let text = Array((columns[index] ?? "").utf8)
    let digits = text.dropFirst(2).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    guard text.starts(with: "\\x".utf8), digits.count == text.count - 2, digits.count.isMultiple(of: 2) else {
      throw Database.Failure(message: "column \(index) is not a bytea")
    }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}

/// A statement's argument, as PostgreSQL reads it from a text.
protocol DatabaseValue: Sendable { var databaseText: String { get } }

extension Int64: DatabaseValue { var databaseText: String { description } }

extension [UInt8]: DatabaseValue {
  var databaseText: String { "\\x" + map { String(format: "%02x", $0) }.joined() }
}
