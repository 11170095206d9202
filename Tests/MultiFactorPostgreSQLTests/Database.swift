#if PostgreSQL
import Foundation
import MultiFactor
import Testing

@testable import MultiFactorPostgreSQL

/// A separate schema on the server that Scripts/postgresql.sh has started, which exists as long as this object.
final class Database: Sendable {
  /// The limit, in seconds, of every wait that is not itself tested: no test fails because the machine is busy.
  static let patience = 600.0

  let url: String
  let schema = "t_" + UUID().uuidString.lowercased().filter { $0 != "-" }

  init() throws {
    url = try #require(
      ProcessInfo.processInfo.environment["OTP_POSTGRESQL"],
      "no server: run this with Scripts/unit.sh or Scripts/postgresql.sh")
  }

  deinit { _ = try? run("DROP SCHEMA IF EXISTS \(schema) CASCADE") }

  /// As by default, but patient.
  func configuration(
    _ change: (inout PostgreSQLFactorStore.Configuration) -> Void = { _ in }
  ) -> PostgreSQLFactorStore.Configuration {
    var configuration = PostgreSQLFactorStore.Configuration()
    configuration.schema = schema
    configuration.connections = 2
    configuration.connectSeconds = Self.patience
    configuration.statementSeconds = Self.patience
    configuration.waitingSeconds = Self.patience
    // The tests' server has fsync off.
    configuration.requiresDurability = false
    configuration.preparesStatements = ProcessInfo.processInfo.environment["OTP_POSTGRESQL_POOLED"] == nil
    change(&configuration)
    return configuration
  }

  /// A store, which is created if it is missing.
  func store(
    _ settings: String = "", creating: Bool = true,
    _ change: (inout PostgreSQLFactorStore.Configuration) -> Void = { _ in }
  ) throws -> PostgreSQLFactorStore {
    if creating {
      do throws(FactorStoreError) {
        try PostgreSQLFactorStore.server(url, configuration()).create(grantingTo: nil)
      } catch {
        guard error.kind == .exists else { throw error }
      }
    }
    return try PostgreSQLFactorStore(url: "\(url) \(settings)", configuration: configuration(change))
  }

  /// A store that has `[1]` under ``DocumentKey/sample``.
  func filled() async throws -> PostgreSQLFactorStore {
    let store = try store()
    try await store.update(.sample) { $0 = [1] }
    return store
  }

  /// Another connection, like another program's.
  func connection(_ settings: String = "") throws -> Connection {
    try Connection(
      #require(ConnectionParameters("\(url) \(settings)").hosts.first), until: .now + .seconds(Self.patience))
  }

  @discardableResult func run(_ sql: String) throws -> Rows { try connection().ask(sql) }

  /// Blocks all writes of documents until the returned connection commits.
  func hold() throws -> Connection {
    let holder = try connection()
    _ = try holder.ask("BEGIN")
    _ = try holder.ask("LOCK TABLE \(schema).documents IN EXCLUSIVE MODE")
    return holder
  }
}

extension Connection {
  func ask(_ sql: String) throws -> Rows { try run(sql, until: .now + .seconds(Database.patience)) }

  func release() throws { _ = try ask("COMMIT") }
}

extension DocumentKey {
  static let sample = DocumentKey(number: 0)

  /// A key with a short name.
  init(number: Int) {
    guard let key = DocumentKey("user/\(number)") else { preconditionFailure() }
    self = key
  }
}

extension PostgreSQLFactorStore {
  /// Appends a byte to the document.
  ///
  /// - Returns: Its new length.
  @discardableResult func append(_ key: DocumentKey = .sample) async throws -> Int {
    try await update(key) { document in
      document = (document ?? []) + [1]
      return document?.count ?? 0
    }
  }
}

extension Batch {
  /// Runs a batch of one request, without a limit of time, and answers it.
  static func run(
    _ key: DocumentKey = .sample, mayWrite: Bool = true, on server: Server, _ connection: Connection,
    fail: @escaping @Sendable (FactorStoreError) -> Void = { Issue.record("failed with \($0)") },
    make: @escaping @Sendable (inout StoredDocument) -> Request.Answer
  ) -> Batch {
    let deadline = ContinuousClock.now + .seconds(Database.patience)
    let request = Request(key: key, mayWrite: mayWrite, deadline: deadline, make: make, fail: fail)
    var batch = Batch(server: server, connection: connection, [(key, [request])])
    batch.run()
    for answer in batch.answers { answer() }
    return batch
  }
}

/// The kind of the store error that an operation throws; `nil` if it throws none.
func kind(_ operation: () async throws -> some Any) async -> FactorStoreError.Kind? {
  do {
    _ = try await operation()
    return nil
  } catch {
    let kind = (error as? FactorStoreError)?.kind
    if kind == nil { Issue.record("not an error of the store's: \(error)") }
    return kind
  }
}
#endif
