import Foundation

extension InMemoryFactorStore {
  /// See ``FactorStore/reserveAttempt(on:of:at:under:ifGeneration:)``.
  ///
  /// - Throws: An error where `now` is no time.
  public func reserveAttempt(
    on target: AttemptTarget, of userID: String, at now: Date, under policy: AttemptPolicy,
    ifGeneration generation: UInt64?
  ) async throws -> ReservationOutcome {
    let time = try StoreTime.milliseconds(of: now)
    return contents.withLock { contents in
      let account = contents.accounts[ByteKey(userID)]
      if let generation, generation != account?.generation ?? 0 { return .revoked }
      switch target {
      case .factor(let uid):
        guard let account, let index = account.index(ofFactor: uid), account.factors[index].kind != .phone else {
          return .notFound
        }
        switch account.factors[index].attempts.reserve(at: now, under: policy) {
        case .refused(let retryAfter): return .refused(retryAfter: retryAfter)
        case .reserved(let number):
          return .reserved(
            Reservation(number: number, generation: account.generation, factor: account.factors[index]))
        }

      case .phoneFactor(let uid, let challengeID):
        guard let account, let index = account.index(ofFactor: uid), account.factors[index].kind == .phone else {
          return .notFound
        }
        switch account.factors[index].attempts.reserve(at: now, under: policy) {
        case .refused(let retryAfter): return .refused(retryAfter: retryAfter)
        case .reserved(let number):
          // From here on the attempt is counted, whatever becomes of the challenge.
          switch account.challenge(challengeID, for: .signIn(factorUID: uid), at: time) {
          case .unusable(let outcome): return outcome
          case .usable(let challenge):
            account.challenges[challenge].tries += 1
            return .reserved(
              Reservation(
                number: number, generation: account.generation, factor: account.factors[index],
                challenge: account.challenges[challenge]))
          }
        }

      case .enrollmentChallenge(let id):
        guard let account else { return .challengeNotFound }
        switch account.challenge(id, for: .enrollment, at: time) {
        case .unusable(let outcome): return outcome
        case .usable(let challenge):
          account.challenges[challenge].tries += 1
          return .reserved(
            Reservation(number: 0, generation: account.generation, challenge: account.challenges[challenge]))
        }

      case .recoveryCodes:
        guard let account, !account.recoveryCodes.isEmpty else { return .notFound }
        switch account.recoveryAttempts.reserve(at: now, under: policy) {
        case .refused(let retryAfter): return .refused(retryAfter: retryAfter)
        case .reserved(let number):
          return .reserved(Reservation(number: number, generation: account.generation))
        }
      }
    }
  }

  /// See ``FactorStore/accept(_:of:)``.
  public func accept(_ acceptance: Acceptance, of userID: String) async -> AcceptanceOutcome {
    contents.withLock { contents in
      let account = contents.accounts[ByteKey(userID)]
      guard acceptance.generation == account?.generation ?? 0 else { return .revoked }
      switch acceptance.evidence {
      case .position(let position, let drift, let uid):
        guard let account, let index = account.index(ofFactor: uid) else { return .notFound }
        if let last = account.factors[index].lastAccepted, position <= last { return .replayed }
        account.factors[index].lastAccepted = position
        account.factors[index].drift = drift
        account.factors[index].attempts.succeed(acceptance.reservation)

      case .challenge(let id, let uid):
        guard let account, let index = account.index(ofFactor: uid) else { return .notFound }
        guard let challenge = account.index(ofChallenge: id, for: .signIn(factorUID: uid)),
          account.challenges[challenge].isActive
        else { return .replayed }
        account.challenges.remove(at: challenge)
        account.factors[index].attempts.succeed(acceptance.reservation)

      case .recoveryCode(let hash):
        guard let account, account.recoveryCodes.remove(hash) != nil else { return .replayed }
        account.recoveryAttempts.succeed(acceptance.reservation)
      }
      return .accepted
    }
  }
}

extension InMemoryAccount {
  /// Whether a challenge can take part in an attempt.
  enum ChallengeState {
    case usable(Int)
    case unusable(ReservationOutcome)
  }

  func challenge(_ id: String, for purpose: ChallengeRecord.Purpose, at now: Int64) -> ChallengeState {
    guard let index = index(ofChallenge: id, for: purpose) else { return .unusable(.challengeNotFound) }
    let challenge = challenges[index]
    guard challenge.isActive, challenge.tries < ChallengeRecord.maximumTries else {
      return .unusable(.challengeNotFound)
    }
    // An expiry that is no time was refused when the challenge was opened.
    guard let expiry = try? StoreTime.milliseconds(of: challenge.expiry), now < expiry else {
      return .unusable(.challengeExpired)
    }
    return .usable(index)
  }
}
