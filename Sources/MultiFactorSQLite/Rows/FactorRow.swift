#if SQLite
import GRDB
import MultiFactor

/// A factor's row, and the generation of its user.
struct FactorRow {
  static let columns = """
    factors.id, factors.uid, factors.kind, factors.display_name, factors.enrolled, factors.sealed, factors.unique_key, \
    factors.last_accepted, factors.drift, factors.attempts, factors.cleared, factors.acceptances, factors.last_attempt
    """

  let id: Int64
  let generation: UInt64
  var record: FactorRecord

  init(_ columns: inout Columns, userID: String, generation: UInt64) throws {
    self.generation = generation
    id = try columns.integer()
    let uid = try columns.name()
    guard let kind = try FactorRecord.Kind(rawValue: columns.text()) else { throw SQLiteFactorStoreError(.corrupt) }
    let displayName = try columns.optionalName()
    let enrolled = try columns.time()
    let sealed = try columns.bytes()
    let uniqueKey = try columns.optionalBytes()
    let lastAccepted = try columns.optionalOrdered()
    guard let drift = try Int(exactly: columns.integer()) else { throw SQLiteFactorStoreError(.corrupt) }
    record = try FactorRecord(
      userID: userID, uid: uid, kind: kind, displayName: displayName, enrollmentDate: enrolled, sealed: sealed,
      uniqueKey: uniqueKey, lastAccepted: lastAccepted, drift: drift, attempts: columns.attempts())
  }
}

extension Database {
  /// The factors, in the order of their enrolment.
  func factors(of account: AccountRow) throws -> [FactorRow] {
    try all(
      "SELECT \(FactorRow.columns) FROM factors WHERE account = ? ORDER BY id", account.id.databaseValue
    ).map { columns in
      var columns = columns
      return try FactorRow(&columns, userID: account.userID, generation: account.generation)
    }
  }

  /// The user's factor of this name.
  func factor(_ uid: String, of userID: String) throws -> FactorRow? {
    guard
      var columns = try first(
        """
        SELECT accounts.generation, \(FactorRow.columns) FROM factors JOIN accounts ON accounts.id = factors.account
        WHERE factors.uid = ? AND accounts.user = ?
        """, Column.name(uid), Column.name(userID))
    else { return nil }
    let generation = try columns.ordered()
    return try FactorRow(&columns, userID: userID, generation: generation)
  }

  /// Whether anybody has or had a factor of this name.
  func hasUsed(_ uid: String) throws -> Bool {
    try first(
      "SELECT 1 FROM factors WHERE uid = ?1 UNION ALL SELECT 1 FROM spent_uids WHERE uid = ?1", Column.name(uid)) != nil
  }

  /// Whether the user has any factor.
  func hasFactors(_ account: AccountRow) throws -> Bool {
    try first("SELECT 1 FROM factors WHERE account = ? LIMIT 1", account.id.databaseValue) != nil
  }

  /// Deletes a factor. Its name stays taken.
  func delete(_ factor: FactorRow) throws {
    try run("INSERT OR IGNORE INTO spent_uids (uid) VALUES (?)", Column.name(factor.record.uid))
    try run("DELETE FROM factors WHERE id = ?", factor.id.databaseValue)
  }

  func insert(_ factor: FactorRecord, into account: AccountRow) throws {
    try run(
      """
      INSERT INTO factors (account, uid, kind, display_name, enrolled, sealed, unique_key, last_accepted, drift,
        attempts, cleared, acceptances, last_attempt)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      account.id.databaseValue, Column.name(factor.uid), factor.kind.rawValue.databaseValue,
      Column.name(factor.displayName), Column.time(factor.enrollmentDate), Column.bytes(factor.sealed),
      Column.bytes(factor.uniqueKey), Column.ordered(factor.lastAccepted), factor.drift.databaseValue,
      Column.ordered(factor.attempts.attempts), Column.ordered(factor.attempts.cleared),
      Column.ordered(factor.attempts.acceptances), Column.time(factor.attempts.lastAttempt))
  }

  /// Writes what attempts change.
  func update(_ factor: FactorRow) throws {
    let state = factor.record.attempts
    try run(
      """
      UPDATE factors SET last_accepted = ?, drift = ?, attempts = ?, cleared = ?, acceptances = ?, last_attempt = ?
      WHERE id = ?
      """,
      Column.ordered(factor.record.lastAccepted), factor.record.drift.databaseValue, Column.ordered(state.attempts),
      Column.ordered(state.cleared), Column.ordered(state.acceptances), Column.time(state.lastAttempt),
      factor.id.databaseValue)
  }
}
#endif
