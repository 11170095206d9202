// What the article "In your own table" assumes: a PostgreSQL client, which opens a connection for each statement, so that
// simultaneous statements meet only in the server; and that its keyring is visible everywhere.

import CPostgreSQL
import Foundation
import Keyring
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

// First used after the program has created the file.
let keyring: Keyring = {
  do { return try Keyring(file: "keyring.json") } catch { fatalError("\(error)") }
}()
