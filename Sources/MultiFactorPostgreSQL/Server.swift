#if PostgreSQL
import Foundation
import MultiFactor

/// The servers of a store, and how to connect to them.
struct Server: Sendable {
  let parameters: ConnectionParameters
  let schema: Schema
  let configuration: PostgreSQLFactorStore.Configuration
  /// The identity of the store that was found first.
  private let identity = Locked<[UInt8]?>(nil)
  /// The time up to which the documents may have gone back, and the timeline that was found last.
  let loss = Locked<(date: Date?, timeline: String?)>((nil, nil))
  /// What was read or written last.
  let memory = Locked(DocumentMemory())

  /// The deadline for a statement that starts now: later than the server's own timeout, whose error is more precise.
  var deadline: ContinuousClock.Instant { .now + .seconds(configuration.statementSeconds * 1.25) }

  /// Connects to the first host that accepts writes, and checks its store and settings.
  ///
  /// - Throws: `FactorStoreError`; with several hosts, preferably one that says more than that a host does
  ///   not respond.
  func connect() throws(FactorStoreError) -> Connection {
    let connection = try connectToPrimary()
    let identity = try attempt { try schema.check(connection, until: deadline) }
    let first = self.identity.withLock { first in
      first = first ?? identity
      return first
    }
    guard identity == first else { throw FactorStoreError(.replaced) }
    if configuration.preparesStatements {
      try attempt { for sql in schema.statements { try connection.prepare(sql, until: deadline) } }
    }
    // Before anything is read.
    let found = try attempt { try schema.findLoss(connection, at: .now, until: deadline) }
    connection.timeline = found.timeline
    loss.withLock { loss in
      // Another machine may have noticed first, with a clock that is behind this one's.
      let isNew = loss.timeline != nil && loss.timeline != found.timeline
      loss.date = [loss.date, found.date, isNew ? found.now : nil].compactMap(\.self).max()
      loss.timeline = found.timeline
    }
    return connection
  }

  /// Creates the store.
  func create(grantingTo role: String?) throws(FactorStoreError) {
    let connection = try connectToPrimary()
    try attempt { try schema.create(connection, grantingTo: role, until: deadline) }
  }

  private func connectToPrimary() throws(FactorStoreError) -> Connection {
    var failure = FactorStoreError(.unreachable)
    for host in parameters.hosts {
      do throws(FactorStoreError) {
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

  /// Refuses a server that does not accept writes, or that would acknowledge a commit before it is durable; and sets
  /// the timeouts.
  private func checkSession(_ connection: Connection) throws {
    let rows = try connection.run(
      """
      SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean,
        \(Schema.isDurable)
      """, until: deadline)
    guard !rows.isTrue(0, 0) else { throw FactorStoreError(.readOnly) }
    guard rows.isTrue(0, 1) || !configuration.requiresDurability else {
      throw FactorStoreError(.notDurable)
    }
    // Do not change a session that a pooler assigns for only one transaction.
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

  /// Converts any error of a statement into one of the store's.
  private func attempt<Result>(_ body: () throws -> Result) throws(FactorStoreError) -> Result {
    do {
      return try body()
    } catch let error as FactorStoreError {
      throw error
    } catch Connection.Failure.refused(let code) {
      throw FactorStoreError(sqlState: code)
    } catch {
      throw FactorStoreError(.unreachable)
    }
  }
}
#endif
