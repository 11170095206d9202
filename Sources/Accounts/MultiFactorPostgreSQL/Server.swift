#if PostgreSQL
import Foundation
import Keyring
import MultiFactor

/// The servers of a store, and how to connect to them.
struct Server: Sendable {
  let parameters: ConnectionParameters
  let schema: Schema
  let configuration: PostgreSQLFactorStore.Configuration
  /// The identity of the store that was found first.
  private let identity = Locked<[UInt8]?>(nil)
  /// The time up to which the documents may have gone back, the timeline that was found last, and those before it.
  let loss = Locked<(date: Date?, timeline: String, left: Set<String>)>((nil, "", []))
  /// What was read or written last.
  let memory = Locked(DocumentMemory())

  /// The deadline for a statement that starts now: later than the server's own timeout, whose error is more precise.
  var deadline: ContinuousClock.Instant { .now + .seconds(configuration.statementSeconds * 1.25) }

  /// Connects to the first host that accepts writes and is not on a timeline that this process has left, and checks its
  /// store and settings.
  ///
  /// - Throws: `FactorStoreError`; with several hosts, preferably one that says more than that a host does
  ///   not respond.
  func connect() throws(FactorStoreError) -> Connection {
    try connectToPrimary { connection in
      let identity = try schema.check(connection, until: deadline)
      let first = self.identity.withLock { first in
        first = first ?? identity
        return first
      }
      guard identity == first else { throw FactorStoreError(.replaced) }
      // Before anything is read.
      let found = try schema.findLoss(connection, at: .now, until: deadline)
      connection.timeline = found.timeline
      try loss.withLock { loss in
        // Timelines only grow, so this is an old primary that was not stopped.
        guard found.timeline.prefix(8) >= loss.timeline.prefix(8), !loss.left.contains(found.timeline) else {
          throw FactorStoreError(.outdated)
        }
        let isNew = !loss.timeline.isEmpty && loss.timeline != found.timeline
        if isNew { loss.left.insert(loss.timeline) }
        // Another machine may have noticed first, with a clock that is behind this one's.
        loss.date = [loss.date, found.date, isNew ? found.now : nil].compactMap(\.self).max()
        loss.timeline = found.timeline
      }
      guard configuration.preparesStatements else { return }
      for sql in schema.statements { try connection.prepare(sql, until: deadline) }
    }
  }

  /// Whether no newer primary was found since a connection was opened.
  func isCurrent(_ connection: Connection) -> Bool { loss.withLock { $0.timeline == connection.timeline } }

  /// Creates the store.
  func create(grantingTo role: String?) throws(FactorStoreError) {
    _ = try connectToPrimary { try schema.create($0, grantingTo: role, until: deadline) }
  }

  private func connectToPrimary(_ begin: (Connection) throws -> Void) throws(FactorStoreError) -> Connection {
    var failure = FactorStoreError(.unreachable)
    for host in parameters.hosts {
      var isPrimary = false
      do throws(FactorStoreError) {
        let connection = try Connection(
          host, until: .now + .seconds(configuration.connectSeconds))
        try attempt { try checkSession(connection) }
        isPrimary = true
        try attempt { try begin(connection) }
        return connection
      } catch {
        // If the primary's store is wrong, another host's is not the right one.
        guard error.isPassing || !isPrimary else { throw error }
        if error.weight >= failure.weight { failure = error }
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
