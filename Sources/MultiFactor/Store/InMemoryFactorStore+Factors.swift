extension InMemoryFactorStore {
  /// See ``FactorStore/enroll(_:under:)``.
  public func enroll(_ factor: FactorRecord, under conditions: EnrollmentConditions) async -> EnrollmentOutcome {
    contents.withLock { contents in
      let account = contents.accounts[ByteKey(factor.userID)]
      let factors = account?.factors ?? []
      if let generation = conditions.generation, generation != account?.generation ?? 0 { return .revoked }
      if !conditions.allowsExistingFactors, !factors.isEmpty { return .factorsExist }
      if contents.factorUIDs.contains(ByteKey(factor.uid)) { return .alreadyEnrolled }
      if let key = factor.uniqueKey, factors.contains(where: { $0.uniqueKey == key }) { return .alreadyEnrolled }
      if factors.count >= conditions.maximumFactorCount { return .tooMany }
      if let id = conditions.challengeID {
        guard let account, let index = account.index(ofChallenge: id, for: .enrollment),
          account.challenges[index].isActive
        else { return .challengeSpent }
        account.challenges.remove(at: index)
      }
      contents.factorUIDs.insert(ByteKey(factor.uid))
      contents.account(of: factor.userID).factors.append(factor)
      return .enrolled
    }
  }

  /// See ``FactorStore/removeFactor(_:of:ifGeneration:)``.
  public func removeFactor(
    _ uid: String, of userID: String, ifGeneration generation: UInt64?
  ) async -> RemovalOutcome {
    contents.withLock { contents in
      let account = contents.accounts[ByteKey(userID)]
      if let generation, generation != account?.generation ?? 0 { return .revoked }
      guard let account, let index = account.index(ofFactor: uid) else { return .notFound }
      if index == account.factors.indices.last { account.generation += 1 }
      account.factors.remove(at: index)
      account.challenges.removeAll { $0.purpose.isSame(as: .signIn(factorUID: uid)) }
      if account.factors.isEmpty { account.dropRecoveryCodes() }
      return .removed(generation: account.generation)
    }
  }

  /// See ``FactorStore/replaceFactors(of:with:)``.
  public func replaceFactors(of userID: String, with factors: [FactorRecord]) async -> UInt64? {
    contents.withLock { contents in
      let old = Set((contents.accounts[ByteKey(userID)]?.factors ?? []).map { ByteKey($0.uid) })
      let new = Set(factors.map { ByteKey($0.uid) })
      let uniqueKeys = factors.compactMap(\.uniqueKey)
      guard factors.allSatisfy({ $0.userID.hasBytes(of: userID) }), new.count == factors.count,
        Set(uniqueKeys).count == uniqueKeys.count,
        contents.factorUIDs.isDisjoint(with: new.subtracting(old))
      else { return nil }
      let account = contents.account(of: userID)
      contents.factorUIDs.formUnion(new)
      account.factors = factors.map { $0.keepingSpent(of: account.factors) }
      account.generation += 1
      account.challenges = []
      account.dropRecoveryCodes()
      return account.generation
    }
  }

  /// See ``FactorStore/reseal(_:of:from:to:)``.
  public func reseal(_ uid: String, of userID: String, from old: [UInt8], to new: [UInt8]) async -> Bool {
    contents.withLock { contents in
      guard let account = contents.accounts[ByteKey(userID)], let index = account.index(ofFactor: uid),
        account.factors[index].sealed == old
      else { return false }
      account.factors[index].sealed = new
      return true
    }
  }
}
