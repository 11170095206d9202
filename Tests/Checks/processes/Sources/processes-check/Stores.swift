import Foundation
import GRDB
import MultiFactor
import MultiFactorPostgreSQL
import MultiFactorSQLite

/// The URL of the server that Scripts/postgresql.sh has started; `nil` if the stores are files.
let serverURL = ProcessInfo.processInfo.environment["OTP_POSTGRESQL"]

/// The store that all of a check's processes share: a schema named after the check's folder, or a file in the folder.
///
/// - Parameter isNew: Whether it is created unless another process has done that.
func openStore(in folder: String, isNew: Bool) async throws -> any FactorStore {
  guard let serverURL else {
    let path = folder + "/factors.sqlite"
    if isNew { try await creating { try SQLiteFactorStore.create(path: path) } }
    return try SQLiteFactorStore(path: path)
  }
  return try await openStore(at: serverURL, in: folder, isNew: isNew)
}

/// Creates something, unless another process has.
func creating(_ create: () async throws -> Void) async throws {
  do {
    try await create()
  } catch let error as FactorStoreError where error.kind == .exists {
  } catch let error as KeyringError where error.kind == .exists {
  }
}

/// The schema of the store that is named after a folder.
func schema(for folder: String) -> String {
  URL(fileURLWithPath: folder).lastPathComponent.lowercased().filter { $0 != "-" }
}

func openStore(
  at url: String, in folder: String, isNew: Bool, waitingSeconds: Double = 30, connections: Int = 2,
  isPooled: Bool = false
) async throws -> PostgreSQLFactorStore {
  var configuration = PostgreSQLFactorStore.Configuration()
  configuration.schema = schema(for: folder)
  // A server restarted after a kill, or a promoted standby, takes some seconds.
  configuration.waitingSeconds = waitingSeconds
  configuration.connections = connections
  configuration.preparesStatements = !isPooled
  let settings = configuration
  if isNew { try await creating { try await PostgreSQLFactorStore.create(url: url, configuration: settings) } }
  return try PostgreSQLFactorStore(url: url, configuration: configuration)
}

/// Lets SQLite check a file for damage. A PostgreSQL server reports damage when it reads.
func checkIntegrity(in folder: String) async throws {
  if serverURL != nil { return }
  let integrity = try await DatabaseQueue(path: folder + "/factors.sqlite").read {
    try String.fetchAll($0, sql: "PRAGMA integrity_check")
  }
  try require(integrity == ["ok"], "integrity_check: \(integrity)")
}
