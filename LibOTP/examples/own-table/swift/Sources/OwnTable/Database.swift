import Foundation
import GRDB

struct Failure: Error, CustomStringConvertible { let description: String }

/// What the program needs of a database. Use your own client library instead.
struct Database {
  private let queue: DatabaseQueue

  init(_ path: String) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(60)
    queue = try DatabaseQueue(path: path, configuration: configuration)
  }

  /// The only column of the only row.
  func bytes(_ statement: String, _ id: Int64) throws -> [UInt8] {
    guard let data = try queue.read({ try Data.fetchOne($0, sql: statement, arguments: [id]) }) else {
      throw Failure(description: "there is no such user")
    }
    return Array(data)
  }

  /// How many rows an update has changed, durably.
  func change(_ statement: String, _ new: [UInt8], _ id: Int64, _ old: [UInt8]) throws -> Int {
    try queue.write { database in
      try database.execute(sql: statement, arguments: [Data(new), id, Data(old)])
      return database.changesCount
    }
  }
}
