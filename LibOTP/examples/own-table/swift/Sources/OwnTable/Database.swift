import CPostgreSQL
import Foundation
import GRDB

/// What the program needs of a database. Use your own client library instead.
protocol Database {
  /// The only column of the only row.
  func bytes(_ statement: String, _ id: Int64) throws -> [UInt8]
  /// How many rows an update has changed, durably.
  func change(_ statement: String, _ new: [UInt8], _ id: Int64, _ old: [UInt8]) throws -> Int
}

struct Failure: Error, CustomStringConvertible { let description: String }

struct SQLite: Database {
  private let queue: DatabaseQueue

  init(_ path: String) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(60)
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = EXTRA") }
    queue = try DatabaseQueue(path: path, configuration: configuration)
  }

  func bytes(_ statement: String, _ id: Int64) throws -> [UInt8] {
    guard let data = try queue.read({ try Data.fetchOne($0, sql: statement, arguments: [id]) }) else {
      throw Failure(description: "there is no such user")
    }
    return Array(data)
  }

  func change(_ statement: String, _ new: [UInt8], _ id: Int64, _ old: [UInt8]) throws -> Int {
    try queue.write { database in
      try database.execute(sql: statement, arguments: [Data(new), id, Data(old)])
      return database.changesCount
    }
  }
}

/// One connection: for one thread at a time.
final class PostgreSQL: Database {
  private let connection: OpaquePointer?

  init(_ connectionString: String) { connection = PQconnectdb(connectionString) }

  deinit { PQfinish(connection) }

  func bytes(_ statement: String, _ id: Int64) throws -> [UInt8] {
    let result = try run(statement, [Array(String(id).utf8)], isBinary: [0])
    defer { PQclear(result) }
    guard PQntuples(result) == 1 else { throw Failure(description: "there is no such user") }
    let bytes = UnsafeRawBufferPointer(start: PQgetvalue(result, 0, 0), count: Int(PQgetlength(result, 0, 0)))
    return Array(bytes)
  }

  func change(_ statement: String, _ new: [UInt8], _ id: Int64, _ old: [UInt8]) throws -> Int {
    let result = try run(statement, [new, Array(String(id).utf8), old], isBinary: [1, 0, 1])
    defer { PQclear(result) }
    return Int(String(cString: PQcmdTuples(result))) ?? 0
  }

  private func run(_ statement: String, _ values: [[UInt8]], isBinary: [Int32]) throws -> OpaquePointer? {
    // Values in the text format end with a NUL.
    let copies = values.map { value in
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: value.count + 1)
      for (index, byte) in (value + [0]).enumerated() { copy[index] = CChar(bitPattern: byte) }
      return copy
    }
    defer { for copy in copies { copy.deallocate() } }
    let result = PQexecParams(
      connection, statement, Int32(values.count), nil, copies.map { UnsafePointer($0) },
      values.map { Int32($0.count) }, isBinary, 1)
    guard PQresultStatus(result) == PGRES_TUPLES_OK || PQresultStatus(result) == PGRES_COMMAND_OK else {
      defer { PQclear(result) }
      throw Failure(description: String(cString: PQerrorMessage(connection)))
    }
    return result
  }
}
