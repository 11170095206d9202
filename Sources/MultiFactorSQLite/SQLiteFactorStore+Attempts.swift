#if SQLite
import Foundation
import GRDB
import MultiFactor

extension SQLiteFactorStore {
  /// See `FactorStore.reserveAttempt(on:of:at:under:ifGeneration:)`.
  public func reserveAttempt(
    on target: AttemptTarget, of userID: String, at now: Date, under policy: AttemptPolicy,
    ifGeneration generation: UInt64?
  ) async throws -> ReservationOutcome {
    try await write { db in
      // The time that will be stored, so that a wait ends when the stored one says.
      let milliseconds = try StoreTime.milliseconds(of: now)
      let now = StoreTime.date(milliseconds)
      // A factor's row tells its user's generation too, and is needed in any case.
      let found =
        switch target {
        case .factor(let uid), .phoneFactor(let uid, _): try db.factor(uid, of: userID)
        case .enrollmentChallenge, .recoveryCodes: FactorRow?.none
        }
      if let generation, try (found?.generation ?? db.generation(of: userID)) != generation { return .revoked }
      switch target {
      case .factor:
        guard var factor = found, factor.record.kind != .phone else { return .notFound }
        switch try db.reserve(&factor, at: now, under: policy) {
        case .refused(let retryAfter): return .refused(retryAfter: retryAfter)
        case .reserved(let number):
          return .reserved(Reservation(number: number, generation: factor.generation, factor: factor.record))
        }

      case .phoneFactor(let uid, let challengeID):
        guard var factor = found, factor.record.kind == .phone else { return .notFound }
        switch try db.reserve(&factor, at: now, under: policy) {
        case .refused(let retryAfter): return .refused(retryAfter: retryAfter)
        case .reserved(let number):
          // From here on the attempt is counted, whatever becomes of the challenge.
          guard var challenge = try db.usableChallenge(challengeID, of: userID, for: .signIn(factorUID: uid)) else {
            return .challengeNotFound
          }
          guard now < challenge.expiry else { return .challengeExpired }
          challenge.tries += 1
          try db.setTries(of: challenge)
          return .reserved(
            Reservation(number: number, generation: factor.generation, factor: factor.record, challenge: challenge))
        }

      case .enrollmentChallenge(let id):
        guard var challenge = try db.usableChallenge(id, of: userID, for: .enrollment) else {
          return .challengeNotFound
        }
        guard now < challenge.expiry else { return .challengeExpired }
        challenge.tries += 1
        try db.setTries(of: challenge)
        return try .reserved(
          Reservation(number: 0, generation: db.generation(of: userID), challenge: challenge))

      case .recoveryCodes:
        guard let account = try db.account(of: userID), try db.recoveryCodeCount(of: account) > 0 else {
          return .notFound
        }
        var state = account.recoveryAttempts
        let decision = state.reserve(at: now, under: policy)
        if state != account.recoveryAttempts { try db.setRecoveryAttempts(state, of: account) }
        switch decision {
        case .refused(let retryAfter): return .refused(retryAfter: retryAfter)
        case .reserved(let number): return .reserved(Reservation(number: number, generation: account.generation))
        }
      }
    }
  }

  /// See `FactorStore.accept(_:of:)`.
  public func accept(_ acceptance: Acceptance, of userID: String) async throws -> AcceptanceOutcome {
    try await write { db in
      switch acceptance.evidence {
      case .position(let position, let drift, let uid):
        guard var factor = try db.factor(uid, of: userID) else {
          return try db.generation(of: userID) == acceptance.generation ? .notFound : .revoked
        }
        guard factor.generation == acceptance.generation else { return .revoked }
        if let last = factor.record.lastAccepted, position <= last { return .replayed }
        factor.record.lastAccepted = position
        factor.record.drift = drift
        factor.record.attempts.succeed(acceptance.reservation)
        try db.update(factor)

      case .challenge(let id, let uid):
        guard var factor = try db.factor(uid, of: userID) else {
          return try db.generation(of: userID) == acceptance.generation ? .notFound : .revoked
        }
        guard factor.generation == acceptance.generation else { return .revoked }
        guard let challenge = try db.challenge(id, of: userID, for: .signIn(factorUID: uid)), challenge.isActive else {
          return .replayed
        }
        try db.delete(challenge)
        factor.record.attempts.succeed(acceptance.reservation)
        try db.update(factor)

      case .recoveryCode(let hash):
        guard try db.generation(of: userID) == acceptance.generation else { return .revoked }
        guard let account = try db.account(of: userID) else { return .replayed }
        let deleted = try db.change(
          "DELETE FROM recovery_codes WHERE account = ? AND hash = ?", account.id.databaseValue, Column.bytes(hash))
        guard deleted == 1 else { return .replayed }
        var state = account.recoveryAttempts
        state.succeed(acceptance.reservation)
        try db.setRecoveryAttempts(state, of: account)
      }
      return .accepted
    }
  }
}

extension Database {
  /// Asks for an attempt, and saves the state, which changes also where the answer is no.
  fileprivate func reserve(
    _ factor: inout FactorRow, at now: Date, under policy: AttemptPolicy
  ) throws -> AttemptState.Decision {
    let before = factor.record.attempts
    let decision = factor.record.attempts.reserve(at: now, under: policy)
    if factor.record.attempts != before { try update(factor) }
    return decision
  }

  fileprivate func usableChallenge(
    _ id: String, of userID: String, for purpose: ChallengeRecord.Purpose
  ) throws -> ChallengeRecord? {
    guard let challenge = try challenge(id, of: userID, for: purpose), challenge.isActive,
      challenge.tries < ChallengeRecord.maximumTries
    else { return nil }
    return challenge
  }
}
#endif
