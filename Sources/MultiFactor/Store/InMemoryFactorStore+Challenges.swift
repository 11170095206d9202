import Foundation

extension InMemoryFactorStore {
  /// See ``FactorStore/openChallenge(_:under:at:)``.
  ///
  /// - Throws: An error where `now` or the challenge's expiry is no time.
  public func openChallenge(
    _ challenge: ChallengeRecord, under limits: SendLimits?, at now: Date
  ) async throws -> ChallengeOutcome {
    let now = try StoreTime.milliseconds(of: now)
    _ = try StoreTime.milliseconds(of: challenge.expiry)
    return contents.withLock { contents in
      if let limits {
        let user = ByteKey(challenge.userID)
        let wait = contents.messages.count(of: user, numberKey: challenge.numberKey, under: limits, at: now)
        if let wait { return .refused(retryAfter: StoreTime.date(wait)) }
      }
      let account = contents.account(of: challenge.userID)
      account.challenges.removeAll { old in
        let expiry = (try? StoreTime.milliseconds(of: old.expiry)) ?? 0
        return old.id.hasBytes(of: challenge.id) || expiry <= now - ChallengeRecord.keptAfterExpiry
      }
      var challenge = challenge
      challenge.isActive = false
      account.challenges.append(challenge)
      return .opened
    }
  }

  /// See ``FactorStore/activateChallenge(_:of:)``.
  public func activateChallenge(_ id: String, of userID: String) async -> Bool {
    contents.withLock { contents in
      guard let account = contents.accounts[ByteKey(userID)],
        var challenge = account.challenges.first(where: { $0.id.hasBytes(of: id) })
      else { return false }
      challenge.isActive = true
      account.challenges.removeAll { $0.purpose.isSame(as: challenge.purpose) }
      account.challenges.append(challenge)
      return true
    }
  }
}
