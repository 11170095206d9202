#if PostgreSQL
import Foundation
import MultiFactor

/// The schema of a store in its database, and the statements on it.
///
/// A sign-in touches only `documents`. A document of up to 8 KB stays in the row, uncompressed: it is sealed, so
/// compression would not help. No updated column is indexed, and each page has room for new versions of its rows, so
/// that an update writes to one page and to no index (HOT).
struct Schema: Sendable {
  /// The version of the tables.
  static let version: Int64 = 1
  private static let application = "swift-otp factor store"
  /// The number of the server's timeline: each promotion of a standby, or recovery to a point in time, raises it.
  private static let number = "left(pg_walfile_name(pg_current_wal_lsn()), 8)"
  /// A timeline's name: its number, and what was drawn when the store first noticed it, since two standbys of one
  /// primary are both promoted to the same number, as is a base backup that is restored twice.
  private static let newTimeline = "\(number) || '-' || gen_random_uuid()"
  /// In place of the timeline: a standby; a role from which row-level security may hide documents; a timeline that the
  /// store has not noticed.
  static let (standby, hidden, unnoticed) = ("standby", "hidden", "unnoticed")
  /// Whether a commit is durable once it is acknowledged.
  static let isDurable = """
    (current_setting('synchronous_commit') IN ('on', 'remote_apply') AND current_setting('fsync')::boolean)
    """
  private static let mark = "decode('\(DocumentKey.mark.bytes.map { String($0, radix: 16) }.joined())', 'hex')"

  let setUp: [String]
  let open, notice, loss: String
  let read, updateOne, update, insert, delete, list: String
  /// The statements worth preparing.
  var statements: [String] { [read, updateOne, update, insert, delete, list] }
  private let quoted: String

  /// - Parameter name: The schema's name.
  /// - Throws: `FactorStoreError` with `invalidConfiguration` unless it consists of 1...63 letters `a`...`z`, digits
  ///   and `_`.
  init(_ name: String) throws(FactorStoreError) {
    guard 1...63 ~= name.utf8.count,
      name.utf8.allSatisfy({ 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "_") })
    else { throw FactorStoreError(.invalidConfiguration) }
    let schema = "\"\(name)\""
    quoted = schema
    setUp = Self.creation(of: schema)
    open = """
      SELECT version, application = '\(Self.application)', identity,
        (SELECT relpersistence <> 'p' FROM pg_class WHERE oid = to_regclass('\(schema).documents'))
      FROM \(schema).format
      """
    // Dated by the clock that is ahead, since codes were accepted by the host's, and the new primary's may be behind,
    // by an hour at most: years ahead must not spend the codes of years. And later than the loss before it.
    let date =
      "greatest(clock_timestamp(), least(to_timestamp($1::bigint / 1000.0), clock_timestamp() + interval '1h'))"
    notice = """
      UPDATE \(schema).format SET timeline = \(Self.newTimeline), lost = greatest(lost + interval '1 ms', \(date))
      WHERE left(timeline, 8) <> \(Self.number)
      """
    loss = """
      SELECT timeline, (extract(epoch FROM lost) * 1000)::bigint, (extract(epoch FROM \(date)) * 1000)::bigint
      FROM \(schema).format
      """
    let noticed = "(SELECT timeline FROM \(schema).format WHERE left(timeline, 8) = \(Self.number))"
    read = Self.reading(schema, noticed: noticed)
    // Every write is for the timeline of the read before it: a pooler may have switched servers in between. The read of
    // an update may have been some minutes ago, so it asks again what the read did.
    let isAsRead = "\(noticed) = $5::text AND ($6::boolean OR \(Self.isDurable))"
    updateOne = """
      UPDATE \(schema).documents AS held SET version = $3::bigint, document = $4::bytea
      WHERE key = $1::bytea AND version = $2::bigint AND \(isAsRead) RETURNING key
      """
    // Rows are locked in the order of their keys, whatever the order of the update, so that no two of these can
    // deadlock.
    update = """
      WITH locked AS MATERIALIZED (
        SELECT change.* FROM unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::bytea[])
          AS change (key, old, version, document)
        JOIN \(schema).documents AS held ON held.key = change.key AND held.version = change.old
        WHERE \(isAsRead) ORDER BY held.key FOR NO KEY UPDATE OF held
      )
      UPDATE \(schema).documents AS held SET version = locked.version, document = locked.document
      FROM locked WHERE held.key = locked.key AND held.version = locked.old RETURNING held.key
      """
    // In the order of the arrays, and only beside the mark that was read, if there was one.
    insert = """
      INSERT INTO \(schema).documents (key, version, document)
      SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bytea[])
      WHERE \(noticed) = $4::text AND $5::bigint IS NOT DISTINCT FROM (
        SELECT version FROM \(schema).documents WHERE key = \(Self.mark)
      )
      ON CONFLICT DO NOTHING RETURNING key
      """
    delete = """
      WITH locked AS MATERIALIZED (
        SELECT change.* FROM unnest($1::bytea[], $2::bigint[]) AS change (key, old)
        JOIN \(schema).documents AS held ON held.key = change.key AND held.version = change.old
        WHERE \(noticed) = $3::text ORDER BY held.key FOR UPDATE OF held
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

  private static func creation(of schema: String) -> [String] {
    [
      """
      CREATE TABLE \(schema).format (
        application text NOT NULL, version bigint NOT NULL, identity uuid NOT NULL, timeline text NOT NULL,
        lost timestamptz
      )
      """,
      """
      INSERT INTO \(schema).format
      VALUES ('\(Self.application)', \(Self.version), gen_random_uuid(), \(Self.newTimeline))
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
  }

  /// Each key has a row, whether or not it has a document, so that a missing row is never mistaken for a missing
  /// document. The row of the format is read by a separate subquery: in the join, the planner would expect many.
  private static func reading(_ schema: String, noticed: String) -> String {
    """
    SELECT asked.key, held.version, held.document, mark.version, mark.document, server.state, server.is_durable
    FROM (
      SELECT CASE WHEN pg_is_in_recovery() THEN '\(Self.standby)'
        WHEN row_security_active('\(schema).documents') THEN '\(Self.hidden)'
        ELSE coalesce(\(noticed), '\(Self.unnoticed)') END AS state, \(Self.isDurable) AS is_durable
    ) AS server CROSS JOIN unnest($1::bytea[]) AS asked (key)
    LEFT JOIN \(schema).documents AS held ON held.key = asked.key
    LEFT JOIN \(schema).documents AS mark ON held.key IS NULL AND mark.key = \(Self.mark)
    """
  }
}

// Setting up.
extension Schema {
  /// Checks that a connection's database contains the store, in this version.
  ///
  /// - Returns: The store's identity, drawn at random when it was created.
  /// - Throws: `FactorStoreError` with `missing`, `foreign`, `newerVersion`, `notDurable` or `forbidden`; `Failure`.
  func check(_ connection: Connection, until deadline: ContinuousClock.Instant) throws -> [UInt8] {
    let rows = try connection.run(open, until: deadline)
    guard rows.count == 1, rows.isTrue(0, 1), let version = rows.integer(0, 0), let identity = rows.bytes(0, 2) else {
      throw FactorStoreError(.foreign)
    }
    guard version == Self.version else { throw FactorStoreError(.newerVersion) }
    // After a crash, an unlogged table is empty.
    guard !rows.isTrue(0, 3) else { throw FactorStoreError(.notDurable) }
    return identity
  }

  /// Checks whether a standby was promoted since the store was last used, as a recovery to a point in time also ends.
  ///
  /// It may lack acknowledged changes. Whether commits waited for the standby cannot be found out afterward: a note
  /// that they no longer do would not have reached it.
  ///
  /// - Parameter hostDate: The time by this host's clock.
  /// - Returns: The connection's timeline; when the latest change of the timeline was first noticed, or `nil` if there
  ///   was none; and the time by the clock that is ahead, this host's or the server's.
  func findLoss(
    _ connection: Connection, at hostDate: Date, until deadline: ContinuousClock.Instant
  ) throws -> (timeline: String, date: Date?, now: Date) {
    let time = [Binary.integer(hostDate.unixMilliseconds)]
    // Two statements, so that the second sees what another machine has noticed concurrently.
    _ = try connection.run(notice, time, until: deadline)
    let rows = try connection.run(loss, time, until: deadline)
    guard let timeline = rows.text(0, 0), let now = rows.date(0, 2) else { throw FactorStoreError(.foreign) }
    return (timeline, rows.date(0, 1), now)
  }

  /// Creates the store, in one transaction.
  ///
  /// - Parameter role: The role that is granted the rights to use it; `nil` for only the connection's own.
  /// - Throws: `FactorStoreError` with `exists`, `foreign` or `forbidden`; `Failure`.
  func create(_ connection: Connection, grantingTo role: String?, until deadline: ContinuousClock.Instant) throws {
    func run(_ sql: String) throws -> Rows { try connection.run(sql, until: deadline) }
    _ = try run("BEGIN")
    let name = "'\(quoted)'"
    // If several processes create the store at once, one does it, and the others find it.
    _ = try run("SELECT pg_advisory_xact_lock(hashtextextended('\(Self.application)' || \(name), 0))")
    let found = try run(
      "SELECT to_regnamespace(\(name)) IS NOT NULL, to_regclass('\(quoted).format') IS NOT NULL,"
        + " EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace(\(name)))")
    if found.isTrue(0, 1) {
      _ = try check(connection, until: deadline)
      throw FactorStoreError(.exists)
    }
    guard !found.isTrue(0, 2) else { throw FactorStoreError(.foreign) }
    if !found.isTrue(0, 0) { _ = try run("CREATE SCHEMA \(quoted)") }
    for statement in setUp { _ = try run(statement) }
    if let role {
      let role = "\"" + role.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
      _ = try run("GRANT USAGE ON SCHEMA \(quoted) TO \(role)")
      _ = try run("GRANT SELECT, UPDATE (timeline, lost) ON \(quoted).format TO \(role)")
      _ = try run("GRANT SELECT, INSERT, UPDATE, DELETE ON \(quoted).documents TO \(role)")
    }
    _ = try run("COMMIT")
  }
}
#endif
