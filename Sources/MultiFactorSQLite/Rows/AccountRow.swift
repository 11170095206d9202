#if SQLite
import GRDB
import MultiFactor

/// A user's row, without what stands in other tables.
struct AccountRow {
  static let columns = "id, user, generation, attempts, cleared, acceptances, last_attempt"

  let id: Int64
  let userID: String
  let generation: UInt64
  let recoveryAttempts: AttemptState

  init(_ columns: inout Columns) throws {
    id = try columns.integer()
    userID = try columns.name()
    generation = try columns.ordered()
    recoveryAttempts = try columns.attempts()
  }

  /// The generation after this one.
  func nextGeneration() throws -> UInt64 {
    guard generation < .max else { throw SQLiteFactorStoreError(.corrupt) }
    return generation + 1
  }
}

extension Database {
  func account(of userID: String) throws -> AccountRow? {
    guard
      var columns = try first("SELECT \(AccountRow.columns) FROM accounts WHERE user = ?", Column.name(userID))
    else { return nil }
    return try AccountRow(&columns)
  }

  /// The user's generation, 0 where there is no row.
  func generation(of userID: String) throws -> UInt64 { try account(of: userID)?.generation ?? 0 }

  /// The user's row, a new one if there is none.
  func madeAccount(of userID: String) throws -> AccountRow {
    if let account = try account(of: userID) { return account }
    try run(
      "INSERT INTO accounts (user, generation, attempts, cleared, acceptances) VALUES (?, ?, ?, ?, ?)",
      Column.name(userID), Column.ordered(0), Column.ordered(0), Column.ordered(0), Column.ordered(0))
    guard let account = try account(of: userID) else { throw SQLiteFactorStoreError(.corrupt) }
    return account
  }

  func setGeneration(_ generation: UInt64, of account: AccountRow) throws {
    try run(
      "UPDATE accounts SET generation = ? WHERE id = ?", Column.ordered(generation), account.id.databaseValue)
  }

  func setRecoveryAttempts(_ state: AttemptState, of account: AccountRow) throws {
    try run(
      "UPDATE accounts SET attempts = ?, cleared = ?, acceptances = ?, last_attempt = ? WHERE id = ?",
      Column.ordered(state.attempts), Column.ordered(state.cleared), Column.ordered(state.acceptances),
      Column.time(state.lastAttempt), account.id.databaseValue)
  }

  func recoveryCodeCount(of account: AccountRow) throws -> Int {
    guard
      var columns = try first(
        "SELECT COUNT(*) FROM recovery_codes WHERE account = ?", account.id.databaseValue)
    else { return 0 }
    return try columns.count()
  }

  /// Deletes the recovery codes, and what counted the attempts on them.
  func dropRecoveryCodes(of account: AccountRow) throws {
    try run("DELETE FROM recovery_codes WHERE account = ?", account.id.databaseValue)
    try setRecoveryAttempts(AttemptState(), of: account)
  }

  /// All that is held of a user.
  func record(of account: AccountRow) throws -> AccountRecord {
    try AccountRecord(
      userID: account.userID, generation: account.generation,
      factors: factors(of: account).map(\.record), recoveryCodesRemaining: recoveryCodeCount(of: account),
      recoveryAttempts: account.recoveryAttempts)
  }
}
#endif
