#if SQLite
import GRDB
import MultiFactor

extension SQLiteFactorStore {
  /// See `FactorStore.enroll(_:under:)`.
  public func enroll(
    _ factor: FactorRecord, under conditions: EnrollmentConditions
  ) async throws -> EnrollmentOutcome {
    try await write { db in
      let account = try db.account(of: factor.userID)
      let factors = try account.map { try db.factors(of: $0) } ?? []
      if let generation = conditions.generation, generation != account?.generation ?? 0 { return .revoked }
      if !conditions.allowsExistingFactors, !factors.isEmpty { return .factorsExist }
      if try db.hasUsed(factor.uid) { return .alreadyEnrolled }
      if let key = factor.uniqueKey, factors.contains(where: { $0.record.uniqueKey == key }) { return .alreadyEnrolled }
      if factors.count >= conditions.maximumFactorCount { return .tooMany }
      if let id = conditions.challengeID {
        guard let challenge = try db.challenge(id, of: factor.userID, for: .enrollment), challenge.isActive else {
          return .challengeSpent
        }
        try db.delete(challenge)
      }
      try db.insert(factor, into: account ?? db.madeAccount(of: factor.userID))
      return .enrolled
    }
  }

  /// See `FactorStore.removeFactor(_:of:ifGeneration:)`.
  public func removeFactor(
    _ uid: String, of userID: String, ifGeneration generation: UInt64?
  ) async throws -> RemovalOutcome {
    try await write { db in
      let account = try db.account(of: userID)
      if let generation, generation != account?.generation ?? 0 { return .revoked }
      guard let account, let factor = try db.factor(uid, of: userID) else { return .notFound }
      let isLast =
        try db.first(
          "SELECT 1 FROM factors WHERE account = ? AND id > ? LIMIT 1", account.id.databaseValue,
          factor.id.databaseValue) == nil
      try db.delete(factor)
      try db.run("DELETE FROM challenges WHERE user = ? AND factor = ?", Column.name(userID), Column.name(uid))
      if try !db.hasFactors(account) { try db.dropRecoveryCodes(of: account) }
      guard isLast else { return .removed(generation: account.generation) }
      let next = try account.nextGeneration()
      try db.setGeneration(next, of: account)
      return .removed(generation: next)
    }
  }

  /// See `FactorStore.replaceFactors(of:with:)`.
  public func replaceFactors(of userID: String, with factors: [FactorRecord]) async throws -> UInt64? {
    let uniqueKeys = factors.compactMap(\.uniqueKey)
    guard factors.allSatisfy({ $0.userID.utf8.elementsEqual(userID.utf8) }),
      Set(factors.map { Array($0.uid.utf8) }).count == factors.count, Set(uniqueKeys).count == uniqueKeys.count
    else { return nil }
    return try await write { db in
      for factor in factors where try db.hasUsed(factor.uid) {
        // This user may have it, whose factors will be gone; nobody else, and nobody before.
        guard try db.factor(factor.uid, of: userID) != nil else { return nil }
      }
      let account = try db.madeAccount(of: userID)
      let generation = try account.nextGeneration()
      try db.setGeneration(generation, of: account)
      let replaced = try db.factors(of: account)
      // The names of those that stay are among the spent ones too, and are asked for as this user's before that.
      for factor in replaced { try db.delete(factor) }
      try db.run("DELETE FROM challenges WHERE user = ?", Column.name(userID))
      for factor in factors { try db.insert(factor.keepingSpent(of: replaced.map(\.record)), into: account) }
      try db.dropRecoveryCodes(of: account)
      return generation
    }
  }

  /// See `FactorStore.reseal(_:of:from:to:)`.
  public func reseal(_ uid: String, of userID: String, from old: [UInt8], to new: [UInt8]) async throws -> Bool {
    try await write { db in
      try db.change(
        """
        UPDATE factors SET sealed = ? WHERE uid = ? AND sealed = ? AND account IN (SELECT id FROM accounts WHERE user = ?)
        """, Column.bytes(new), Column.name(uid), Column.bytes(old), Column.name(userID)) == 1
    }
  }
}
#endif
