import Foundation

/// A store for tests and demonstrations: what it holds ends with the process.
///
/// It has every property of a ``FactorStore`` but that of outliving a crash.
public final class InMemoryFactorStore: FactorStore {
  /// What the lock is for.
  struct Contents {
    var accounts: [ByteKey: InMemoryAccount] = [:]
    /// The names of all factors that there are or ever were: none is given twice.
    var factorUIDs: Set<ByteKey> = []
    var messages = MessageCounts()
    /// The keys of `accounts` in order, until the next user comes.
    private var sorted: [ByteKey]?

    /// The user's entry, a new one if there is none.
    mutating func account(of userID: String) -> InMemoryAccount {
      if let account = accounts[ByteKey(userID)] { return account }
      let account = InMemoryAccount(userID: userID)
      accounts[ByteKey(userID)] = account
      sorted = nil
      return account
    }

    mutating func sortedKeys() -> [ByteKey] {
      if let sorted { return sorted }
      let keys = accounts.keys.sorted()
      sorted = keys
      return keys
    }
  }

  let contents = Locked(Contents())

  /// A store that holds nothing.
  public init() {}

  /// See ``FactorStore/account(of:)``.
  public func account(of userID: String) async -> AccountRecord {
    contents.withLock { $0.accounts[ByteKey(userID)]?.record ?? AccountRecord(userID: userID) }
  }

  /// See ``FactorStore/accounts(after:limit:)``.
  public func accounts(after userID: String?, limit: Int) async -> [AccountRecord] {
    contents.withLock { contents in
      let keys = contents.sortedKeys()
      var start = keys.startIndex
      if let after = userID.map(ByteKey.init) {
        var end = keys.endIndex
        while start < end {
          let middle = start + (end - start) / 2
          if keys[middle] <= after { start = middle + 1 } else { end = middle }
        }
      }
      var records: [AccountRecord] = []
      for key in keys[start...] {
        if records.count >= limit { break }
        if let account = contents.accounts[key], !account.isEmpty { records.append(account.record) }
      }
      return records
    }
  }

  /// See ``FactorStore/unlock(_:of:)``.
  public func unlock(_ target: UnlockTarget, of userID: String) async -> Bool {
    contents.withLock { contents in
      guard let account = contents.accounts[ByteKey(userID)] else { return false }
      switch target {
      case .factor(let uid):
        guard let index = account.index(ofFactor: uid) else { return false }
        account.factors[index].attempts.unlock()
      case .recoveryCodes:
        guard !account.recoveryCodes.isEmpty else { return false }
        account.recoveryAttempts.unlock()
      }
      return true
    }
  }

  /// See ``FactorStore/revokeHandles(of:)``.
  public func revokeHandles(of userID: String) async -> UInt64 {
    contents.withLock { contents in
      let account = contents.account(of: userID)
      account.generation += 1
      return account.generation
    }
  }

  /// See ``FactorStore/replaceRecoveryCodes(of:with:ifGeneration:)``.
  public func replaceRecoveryCodes(
    of userID: String, with hashes: [[UInt8]], ifGeneration generation: UInt64?
  ) async -> Bool {
    contents.withLock { contents in
      let account = contents.accounts[ByteKey(userID)]
      if let generation, generation != account?.generation ?? 0 { return false }
      guard let account, !account.factors.isEmpty else {
        // Without a factor there are no codes to remove.
        return hashes.isEmpty
      }
      account.recoveryCodes = Set(hashes)
      account.recoveryAttempts.unlock()
      return true
    }
  }
}
