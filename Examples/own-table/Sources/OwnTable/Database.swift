import CPostgreSQL
import Foundation

/// A small PostgreSQL client over libpq, enough for this program.
///
/// It opens a connection for each statement, and blocks a thread until the answer arrives. A server keeps a pool of
/// connections: use your own client library there.
struct Database: Sendable {
  /// As `psql` takes it, such as `postgresql://localhost/test`.
  let connectionString: String

  struct Failure: Error { let message: String }

  /// Runs one statement, whose `$1`, `$2`, … are the values, in a transaction of its own.
  @discardableResult
  func query(_ sql: String, _ values: any DatabaseValue...) async throws -> [Row] {
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
struct Row {
  let columns: [String?]

  /// A `bigint`; `nil` for NULL.
  func int64(_ index: Int) -> Int64? { columns[index].flatMap { Int64($0) } }

  /// A `bytea`, which PostgreSQL writes as `\x` and two digits for each byte.
  func bytes(_ index: Int) throws -> [UInt8] {
    let digits = Array((columns[index] ?? "").dropFirst(2))
    return try stride(from: 0, to: digits.count, by: 2).map { start in
      guard let byte = UInt8(String(digits[start...start + 1]), radix: 16) else {
        throw Database.Failure(message: "not a bytea")
      }
      return byte
    }
  }
}

/// A statement's argument, as PostgreSQL reads it from a text.
protocol DatabaseValue: Sendable { var databaseText: String { get } }

extension Int64: DatabaseValue { var databaseText: String { description } }

extension [UInt8]: DatabaseValue {
  var databaseText: String { "\\x" + map { String(format: "%02x", $0) }.joined() }
}
