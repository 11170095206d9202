import Foundation
import MultiFactor

/// What a store that is damaged, or not to be trusted, answers instead of what it holds.
enum StoreGarbage: CaseIterable, Sendable {
  case recordsOfAnotherUser
  case anotherFactor
  case anotherChallenge
  case anotherKind
  case noFactorAndNoChallenge
  case emptySecrets
  case longSecrets
  case laterGeneration
  case negativeNumbers
  case largestNumbers
  case nothingAccepted
  case attemptsThatAreOver
  case noSuchThing
  case refusedForever
  case refusedUntilNoTime

  func spoiled(_ account: AccountRecord) -> AccountRecord {
    AccountRecord(
      userID: self == .recordsOfAnotherUser ? "somebody else" : account.userID,
      generation: self == .laterGeneration ? account.generation + 1 : account.generation,
      factors: self == .noSuchThing ? [] : account.factors.map(spoiled),
      recoveryCodesRemaining: self == .negativeNumbers ? -1 : account.recoveryCodesRemaining,
      recoveryAttempts: spoiled(account.recoveryAttempts))
  }

  func spoiled(_ outcome: ReservationOutcome) -> ReservationOutcome {
    switch self {
    case .noSuchThing: return .notFound
    case .refusedForever: return .refused(retryAfter: nil)
    case .refusedUntilNoTime: return .refused(retryAfter: Date(timeIntervalSince1970: .nan))
    default: break
    }
    guard case .reserved(let reservation) = outcome else { return outcome }
    let isEmpty = self == .noFactorAndNoChallenge
    return .reserved(
      Reservation(
        number: self == .largestNumbers ? .max : reservation.number,
        generation: self == .laterGeneration ? reservation.generation + 1 : reservation.generation,
        factor: isEmpty ? nil : reservation.factor.map(spoiled),
        challenge: isEmpty ? nil : reservation.challenge.map(spoiled)))
  }

  private func spoiled(_ factor: FactorRecord) -> FactorRecord {
    FactorRecord(
      userID: self == .recordsOfAnotherUser ? "somebody else" : factor.userID,
      uid: self == .anotherFactor ? "another" : factor.uid,
      kind: self == .anotherKind ? (factor.kind == .totp ? .hotp : .totp) : factor.kind,
      displayName: factor.displayName, enrollmentDate: factor.enrollmentDate, sealed: spoiled(secret: factor.sealed),
      uniqueKey: factor.uniqueKey, lastAccepted: spoiled(lastAccepted: factor.lastAccepted),
      drift: spoiled(number: factor.drift), attempts: spoiled(factor.attempts))
  }

  private func spoiled(_ challenge: ChallengeRecord) -> ChallengeRecord {
    ChallengeRecord(
      id: self == .anotherChallenge ? "another" : challenge.id,
      userID: self == .recordsOfAnotherUser ? "somebody else" : challenge.userID, purpose: challenge.purpose,
      numberKey: challenge.numberKey, sealedNumber: spoiled(secret: challenge.sealedNumber),
      codeHash: spoiled(secret: challenge.codeHash), expiry: challenge.expiry,
      tries: spoiled(number: challenge.tries), isActive: challenge.isActive)
  }

  private func spoiled(_ attempts: AttemptState) -> AttemptState {
    self == .attemptsThatAreOver
      ? AttemptState(attempts: 0, cleared: .max, acceptances: .max, lastAttempt: .distantFuture) : attempts
  }

  private func spoiled(secret: [UInt8]) -> [UInt8] {
    switch self {
    case .emptySecrets: []
    case .longSecrets: secret + secret
    default: secret
    }
  }

  private func spoiled(lastAccepted: UInt64?) -> UInt64? {
    switch self {
    case .nothingAccepted: nil
    case .largestNumbers: .max
    default: lastAccepted
    }
  }

  private func spoiled(number: Int) -> Int {
    switch self {
    case .negativeNumbers: .min
    case .largestNumbers: .max
    default: number
    }
  }
}
