// What the article "In your own table" takes for granted: a client of PostgreSQL, and a cipher. The client opens a
// connection for each statement, so that statements at the same time meet in the server and nowhere before.

import CPostgreSQL
import Foundation
import MultiFactor
import OTP

protocol Value: Sendable { var text: String { get } }

extension Int64: Value { var text: String { description } }

extension [UInt8]: Value {
  var text: String { "\\x" + map { String(format: "%02x", $0) }.joined() }
}

struct Row {
  let columns: [String?]

  func int64(_ index: Int) -> Int64? { columns[index].flatMap { Int64($0) } }

  func bytes(_ index: Int) throws -> [UInt8] {
    let digits = Array((columns[index] ?? "").dropFirst(2))
    return try stride(from: 0, to: digits.count, by: 2).map { place in
      guard let byte = UInt8(String(digits[place...place + 1]), radix: 16) else { throw DatabaseError(text: "bytea") }
      return byte
    }
  }
}

struct DatabaseError: Error { let text: String }

struct Database: Sendable {
  @discardableResult
  func query(_ sql: String, _ values: any Value...) async throws -> [Row] {
    let connection = PQconnectdb(ProcessInfo.processInfo.environment["OTP_POSTGRESQL"] ?? "")
    defer { PQfinish(connection) }
    let texts = values.map { strdup($0.text) }
    defer { for text in texts { free(text) } }
    let result = PQexecParams(
      connection, sql, Int32(values.count), nil, texts.map { UnsafePointer($0) }, nil, nil, 0)
    defer { PQclear(result) }
    let status = PQresultStatus(result)
    guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else {
      throw DatabaseError(text: String(cString: PQerrorMessage(connection)))
    }
    return (0..<PQntuples(result)).map { row in
      Row(
        columns: (0..<PQnfields(result)).map { column in
          PQgetisnull(result, row, column) == 1 ? nil : String(cString: PQgetvalue(result, row, column))
        })
    }
  }
}

let database = Database()

// No cipher: it only refuses what a cipher with associated data would refuse.
func seal(_ bytes: [UInt8], authenticating data: String) throws -> [UInt8] {
  Array(data.utf8) + bytes.map { $0 ^ 0x5A }
}
func unseal(_ sealed: [UInt8], authenticating data: String) throws -> [UInt8] {
  guard sealed.starts(with: data.utf8) else { throw DatabaseError(text: "not authentic") }
  return sealed.dropFirst(data.utf8.count).map { $0 ^ 0x5A }
}
