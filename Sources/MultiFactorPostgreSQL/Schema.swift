#if PostgreSQL
import Foundation

/// The schema of a store in its database, and the statements on it.
///
/// A sign-in touches only `documents`. A document of up to 8 KB stays in the row, uncompressed: it is sealed, so
/// compression would not help. No updated column is indexed, and each page has room for new versions of its rows, so
/// that an update writes to one page and to no index (HOT).
struct Schema: Sendable {
  /// The version of the tables.
  static let version: Int64 = 1
  private static let application = "swift-otp factor store"
  /// The server's timeline, which changes with each promotion of a standby and each point-in-time recovery.
  private static let timeline = "left(pg_walfile_name(pg_current_wal_lsn()), 8)"
  /// Whether commits wait for a standby.
  private static let isCovered = "(current_setting('synchronous_standby_names') <> '')"

  let setUp: [String]
  let open, notice, loss: String
  let read, updateOne, update, insert, delete, list: String
  /// The statements worth preparing.
  var statements: [String] { [read, updateOne, update, insert, delete, list] }
  private let quoted: String

  /// - Parameter name: The schema's name.
  /// - Throws: ``PostgreSQLFactorStoreError`` with `invalidURL` unless it consists of 1...63 letters `a`...`z`, digits
  ///   and `_`.
  init(_ name: String) throws(PostgreSQLFactorStoreError) {
    guard 1...63 ~= name.utf8.count,
      name.utf8.allSatisfy({ 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "_") })
    else { throw PostgreSQLFactorStoreError(.invalidURL) }
    let schema = "\"\(name)\""
    quoted = schema
    setUp = [
      """
      CREATE TABLE \(schema).format (
        application text NOT NULL, version bigint NOT NULL, timeline text NOT NULL, is_covered boolean NOT NULL,
        lost timestamptz
      )
      """,
      """
      INSERT INTO \(schema).format
      VALUES ('\(Self.application)', \(Self.version), \(Self.timeline), \(Self.isCovered))
      """,
      """
      CREATE TABLE \(schema).documents (
        key bytea PRIMARY KEY, version bigint NOT NULL, document bytea NOT NULL
      ) WITH (fillfactor = 70, toast_tuple_target = 8160)
      """,
      """
      ALTER TABLE \(schema).documents
        ALTER COLUMN key SET STORAGE PLAIN, ALTER COLUMN document SET STORAGE EXTERNAL
      """,
    ]
    open = "SELECT version, application = '\(Self.application)' FROM \(schema).format"
    notice = """
      UPDATE \(schema).format SET timeline = \(Self.timeline), is_covered = \(Self.isCovered),
        lost = CASE WHEN timeline <> \(Self.timeline) AND NOT is_covered THEN clock_timestamp() ELSE lost END
      WHERE timeline <> \(Self.timeline) OR is_covered <> \(Self.isCovered)
      """
    loss = "SELECT (extract(epoch FROM lost) * 1000)::bigint FROM \(schema).format"
    // Each key has a row, whether or not it has a document, so that a missing row is never mistaken for a missing
    // document.
    read = """
      SELECT asked.key, held.version, held.document, pg_is_in_recovery()
      FROM unnest($1::bytea[]) AS asked (key) LEFT JOIN \(schema).documents AS held ON held.key = asked.key
      """
    updateOne = """
      UPDATE \(schema).documents AS held SET version = $3::bigint, document = $4::bytea
      WHERE key = $1::bytea AND version = $2::bigint RETURNING key
      """
    // Rows are locked in the order of their keys, whatever the order of the update, so that no two of these can
    // deadlock.
    update = """
      WITH locked AS MATERIALIZED (
        SELECT change.* FROM unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::bytea[])
          AS change (key, old, version, document)
        JOIN \(schema).documents AS held ON held.key = change.key AND held.version = change.old
        ORDER BY held.key FOR NO KEY UPDATE OF held
      )
      UPDATE \(schema).documents AS held SET version = locked.version, document = locked.document
      FROM locked WHERE held.key = locked.key AND held.version = locked.old RETURNING held.key
      """
    // In the order of the arrays.
    insert = """
      INSERT INTO \(schema).documents (key, version, document)
      SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bytea[]) ON CONFLICT DO NOTHING RETURNING key
      """
    delete = """
      WITH locked AS MATERIALIZED (
        SELECT change.* FROM unnest($1::bytea[], $2::bigint[]) AS change (key, old)
        JOIN \(schema).documents AS held ON held.key = change.key AND held.version = change.old
        ORDER BY held.key FOR UPDATE OF held
      )
      DELETE FROM \(schema).documents AS held USING locked
      WHERE held.key = locked.key AND held.version = locked.old RETURNING held.key
      """
    // The first row has the time in place of a key, and is present even if there are no keys.
    list = """
      SELECT int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint), pg_is_in_recovery() UNION ALL (
        SELECT key, false FROM \(schema).documents WHERE key > $1::bytea ORDER BY key LIMIT $2::bigint
      )
      """
  }
}

// Setting up.
extension Schema {
  /// Checks that a connection's database contains the store, in this version.
  ///
  /// - Throws: ``PostgreSQLFactorStoreError`` with `missing`, `foreign`, `newerVersion` or `forbidden`; `Failure`.
  func check(_ connection: Connection, until deadline: ContinuousClock.Instant) throws {
    let rows = try connection.run(open, until: deadline)
    guard rows.count == 1, rows.isTrue(0, 1), let version = rows.integer(0, 0) else {
      throw PostgreSQLFactorStoreError(.foreign)
    }
    guard version == Self.version else { throw PostgreSQLFactorStoreError(.newerVersion) }
  }

  /// Checks whether a standby was promoted that may lack acknowledged changes.
  ///
  /// - Returns: When the latest such promotion was first noticed; `nil` if there was none.
  func findLoss(_ connection: Connection, until deadline: ContinuousClock.Instant) throws -> Date? {
    // Two statements, so that the second sees what another machine has noticed concurrently.
    _ = try connection.run(notice, until: deadline)
    return try connection.run(loss, until: deadline).date(0, 0)
  }

  /// Sets up the store, or checks the version of an existing one, in one transaction.
  ///
  /// - Parameter role: The role that is granted the rights to use it; `nil` for only the connection's own.
  func migrate(_ connection: Connection, grantingTo role: String?, until deadline: ContinuousClock.Instant) throws {
    func run(_ sql: String) throws -> Rows { try connection.run(sql, until: deadline) }
    _ = try run("BEGIN")
    let name = "'\(quoted)'"
    // If several processes set up the store at once, one does it, and the others find it.
    _ = try run("SELECT pg_advisory_xact_lock(hashtextextended('\(Self.application)' || \(name), 0))")
    let found = try run(
      "SELECT to_regnamespace(\(name)) IS NOT NULL, to_regclass('\(quoted).format') IS NOT NULL,"
        + " EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace(\(name)))")
    if found.isTrue(0, 1) {
      try check(connection, until: deadline)
    } else if found.isTrue(0, 2) {
      throw PostgreSQLFactorStoreError(.foreign)
    } else {
      if !found.isTrue(0, 0) { _ = try run("CREATE SCHEMA \(quoted)") }
      for statement in setUp { _ = try run(statement) }
    }
    if let role {
      let role = "\"" + role.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
      _ = try run("GRANT USAGE ON SCHEMA \(quoted) TO \(role)")
      _ = try run("GRANT SELECT, UPDATE (timeline, is_covered, lost) ON \(quoted).format TO \(role)")
      _ = try run("GRANT SELECT, INSERT, UPDATE, DELETE ON \(quoted).documents TO \(role)")
    }
    _ = try run("COMMIT")
  }
}
#endif
