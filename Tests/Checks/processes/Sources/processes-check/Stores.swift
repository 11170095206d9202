import Foundation
import GRDB
import MultiFactor
import MultiFactorPostgreSQL
import MultiFactorSQLite

/// The URL of the server that Scripts/postgresql.sh has started; `nil` if the stores are files.
let serverURL = ProcessInfo.processInfo.environment["OTP_POSTGRESQL"]

/// The store that all of a check's processes share: a schema named after the check's folder, or a file in the folder.
func openStore(in folder: String, isNew: Bool) throws -> any FactorStore {
  guard let serverURL else {
    return try SQLiteFactorStore(path: folder + "/factors.sqlite", createIfMissing: isNew)
  }
  return try openStore(at: serverURL, in: folder, isNew: isNew)
}

func openStore(at url: String, in folder: String, isNew: Bool) throws -> PostgreSQLFactorStore {
  var configuration = PostgreSQLFactorStore.Configuration()
  configuration.schema = URL(fileURLWithPath: folder).lastPathComponent.lowercased().filter { $0 != "-" }
  // A server restarted after a kill, or a promoted standby, takes some seconds.
  configuration.waitingSeconds = 30
  configuration.connections = 2
  return try PostgreSQLFactorStore(url: url, createIfMissing: isNew, configuration: configuration)
}

/// Lets SQLite check a file for damage. A PostgreSQL server reports damage when it reads.
func checkIntegrity(in folder: String) async throws {
  if serverURL != nil { return }
  let integrity = try await DatabaseQueue(path: folder + "/factors.sqlite").read {
    try String.fetchAll($0, sql: "PRAGMA integrity_check")
  }
  try require(integrity == ["ok"], "integrity_check: \(integrity)")
}
