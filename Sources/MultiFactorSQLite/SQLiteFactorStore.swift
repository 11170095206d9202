#if SQLite
import Foundation
import GRDB
import MultiFactor

/// A store in one SQLite file, which several processes of one machine can use at once.
///
/// The file is in WAL mode with `synchronous=FULL`: when an operation returns, what it changed survives a loss of power.
/// A change is one `BEGIN IMMEDIATE` transaction, or one savepoint in a transaction that it shares with the changes that
/// waited beside it. Reads see one moment, and wait for no change.
///
/// The file is the store's own. It is created with mode 0600; SQLite's `-wal` and `-shm` beside it get the same mode, and
/// belong to it: copy the file with SQLite's own means, or when no process has it open.
///
/// Every operation throws ``SQLiteFactorStoreError`` and nothing else, but for a read whose task is cancelled. A change
/// whose task is cancelled while it waits is made all the same.
public final class SQLiteFactorStore: FactorStore {
  /// The file.
  public let path: String

  let pool: DatabasePool
  let changes: WriteQueue

  /// Opens a file, creates it if there is none, and brings its tables to this version.
  ///
  /// - Parameter path: The file's path. Its folder has to exist, on a local disk: not on a network's.
  /// - Throws: ``SQLiteFactorStoreError`` with `cannotOpen`, `notADatabase`, `newerVersion`, `corrupt` or `busy`.
  public convenience init(path: String) throws {
    try self.init(path: path, busyAttempts: BusyWait.attempts)
  }

  init(path: String, busyAttempts: Int) throws {
    self.path = path
    let busyWait = BusyWait(attempts: busyAttempts)
    pool = try DatabaseFile.open(path, busyWait: busyWait)
    changes = WriteQueue(pool: pool, busyWait: busyWait)
  }

  /// Makes a change.
  func write<Value: Sendable>(_ change: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await changes.write(change)
  }

  /// Reads as of one moment.
  private func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    do {
      return try await pool.read(body)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw SQLiteFactorStoreError(error)
    }
  }

  /// See `FactorStore.account(of:)`.
  public func account(of userID: String) async throws -> AccountRecord {
    try await read { db in
      guard let account = try db.account(of: userID) else { return AccountRecord(userID: userID) }
      return try db.record(of: account)
    }
  }

  /// See `FactorStore.accounts(after:limit:)`.
  public func accounts(after userID: String?, limit: Int) async throws -> [AccountRecord] {
    try await read { db in
      let limit = max(0, limit).databaseValue
      let select = "SELECT \(AccountRow.columns) FROM accounts"
      let rows =
        if let userID {
          try db.all("\(select) WHERE user > ? ORDER BY user LIMIT ?", Column.name(userID), limit)
        } else {
          try db.all("\(select) ORDER BY user LIMIT ?", limit)
        }
      return try rows.map { columns in
        var columns = columns
        return try db.record(of: AccountRow(&columns))
      }
    }
  }

  /// See `FactorStore.unlock(_:of:)`.
  public func unlock(_ target: UnlockTarget, of userID: String) async throws -> Bool {
    try await write { db in
      switch target {
      case .factor(let uid):
        guard var factor = try db.factor(uid, of: userID) else { return false }
        factor.record.attempts.unlock()
        try db.update(factor)
      case .recoveryCodes:
        guard let account = try db.account(of: userID), try db.recoveryCodeCount(of: account) > 0 else { return false }
        var state = account.recoveryAttempts
        state.unlock()
        try db.setRecoveryAttempts(state, of: account)
      }
      return true
    }
  }

  /// See `FactorStore.revokeHandles(of:)`.
  public func revokeHandles(of userID: String) async throws -> UInt64 {
    try await write { db in
      let account = try db.madeAccount(of: userID)
      let generation = try account.nextGeneration()
      try db.setGeneration(generation, of: account)
      return generation
    }
  }

  /// See `FactorStore.replaceRecoveryCodes(of:with:ifGeneration:)`.
  public func replaceRecoveryCodes(
    of userID: String, with hashes: [[UInt8]], ifGeneration generation: UInt64?
  ) async throws -> Bool {
    try await write { db in
      let account = try db.account(of: userID)
      if let generation, generation != account?.generation ?? 0 { return false }
      guard let account, try db.hasFactors(account) else {
        // Without a factor there are no codes to remove.
        return hashes.isEmpty
      }
      try db.run("DELETE FROM recovery_codes WHERE account = ?", account.id.databaseValue)
      for hash in hashes {
        try db.run(
          "INSERT OR IGNORE INTO recovery_codes (account, hash) VALUES (?, ?)", account.id.databaseValue,
          Column.bytes(hash))
      }
      var state = account.recoveryAttempts
      state.unlock()
      try db.setRecoveryAttempts(state, of: account)
      return true
    }
  }
}
#else
import MultiFactor

/// The store's name while its trait is off, so that the compiler says what is missing. It stands for a type that is a
/// store too, or an error about that would hide this one.
@available(*, unavailable, message: "needs swift-otp's trait SQLite: .package(…, traits: [\"SQLite\"])")
public typealias SQLiteFactorStore = InMemoryFactorStore

extension InMemoryFactorStore {
  /// The initializer that goes with that name.
  @available(*, unavailable, message: "SQLiteFactorStore(path:) needs swift-otp's trait SQLite")
  public convenience init(path: String) throws { self.init() }
}

/// The error's name while the trait is off.
@available(*, unavailable, message: "needs swift-otp's trait SQLite: .package(…, traits: [\"SQLite\"])")
public struct SQLiteFactorStoreError: Error {}
#endif
