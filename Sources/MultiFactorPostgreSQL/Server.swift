#if PostgreSQL
import Foundation
import MultiFactor

/// The servers of a store, and how they are connected to.
struct Server: Sendable {
  let parameters: ConnectionParameters
  let schema: Schema
  let configuration: PostgreSQLFactorStore.Configuration
  let createIfMissing: Bool
  /// When the documents may have gone back in time.
  let lossDate = Locked<Date?>(nil)

  /// When a statement that begins now is given up: later than the server itself gives it up, which says so.
  var deadline: ContinuousClock.Instant { .now + .seconds(configuration.statementSeconds * 1.25) }

  /// Connects to the first of the hosts that can be written to, and looks whether its store and settings are right.
  ///
  /// - Throws: ``PostgreSQLFactorStoreError``; of several hosts, what tells more than that one does not answer.
  func connect() throws(PostgreSQLFactorStoreError) -> Connection {
    let connection = try connectToPrimary()
    do throws(PostgreSQLFactorStoreError) {
      try attempt { try schema.check(connection, until: deadline) }
    } catch {
      guard error.kind == .missing, createIfMissing else { throw error }
      try migrate(connection, grantingTo: nil)
    }
    if configuration.preparesStatements {
      try attempt { for sql in schema.statements { try connection.prepare(sql, until: deadline) } }
    }
    // Before anything is read.
    if let milliseconds = try attempt({ try schema.findLoss(connection, until: deadline) }) {
      lossDate.withLock { $0 = Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
    }
    return connection
  }

  /// Sets the store up, or brings it to this version.
  func migrate(grantingTo role: String?) throws(PostgreSQLFactorStoreError) {
    try migrate(connectToPrimary(), grantingTo: role)
  }

  private func migrate(_ connection: Connection, grantingTo role: String?) throws(PostgreSQLFactorStoreError) {
    try attempt { try schema.migrate(connection, grantingTo: role, until: deadline) }
  }

  private func connectToPrimary() throws(PostgreSQLFactorStoreError) -> Connection {
    var failure = PostgreSQLFactorStoreError(.unreachable)
    for host in parameters.hosts {
      do throws(PostgreSQLFactorStoreError) {
        let connection = try Connection(
          host, until: .now + .seconds(configuration.connectSeconds))
        try attempt { try checkSession(connection) }
        return connection
      } catch {
        if failure.kind == .unreachable || !error.isPassing { failure = error }
      }
    }
    throw failure
  }

  /// Refuses a server that cannot be written to, or that would answer a commit before it is durable; and has it give up
  /// what takes too long.
  private func checkSession(_ connection: Connection) throws {
    let rows = try connection.run(
      """
      SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean,
        current_setting('synchronous_commit') IN ('on', 'remote_apply')
      """, until: deadline)
    guard !rows.isTrue(0, 0) else { throw PostgreSQLFactorStoreError(.readOnly) }
    guard rows.isTrue(0, 1) || configuration.allowsAsynchronousCommit else {
      throw PostgreSQLFactorStoreError(.notDurable)
    }
    // What a pooler lends for one transaction is not the store's to set.
    guard configuration.preparesStatements else { return }
    let milliseconds = Int(configuration.statementSeconds * 1000)
    _ = try connection.run(
      """
      SELECT set_config('statement_timeout', '\(milliseconds)', false),
        set_config('lock_timeout', '\(milliseconds)', false), set_config('client_min_messages', 'warning', false),
        set_config('default_transaction_isolation', 'read committed', false),
        set_config('synchronous_commit', current_setting('synchronous_commit'), false)
      """, until: deadline)
  }

  /// Turns what comes of a statement into an error of the store's.
  private func attempt<Result>(_ body: () throws -> Result) throws(PostgreSQLFactorStoreError) -> Result {
    do {
      return try body()
    } catch let error as PostgreSQLFactorStoreError {
      throw error
    } catch Connection.Failure.refused(let code) {
      throw PostgreSQLFactorStoreError(sqlState: code)
    } catch {
      throw PostgreSQLFactorStoreError(.unreachable)
    }
  }
}
#endif
