import Foundation
import OTP

/// What an administrator can do: with a user's factors, without the user.
///
/// The host decides who is an administrator; nothing here asks. No call shows a secret.
public struct MultiFactorAdmin: Sendable {
  let auth: MultiFactorAuth

  /// A user's factors, in the order of their enrolment, with what counts attempts.
  ///
  /// - Throws: ``AuthError`` with code `internalError`.
  public func factors(of userID: String) async throws -> [AdministeredFactor] {
    administered(try await auth.account(of: userID)).factors
  }

  /// Removes a factor, as its user could, without the demand for a recent sign-in.
  ///
  /// - Throws: ``AuthError`` with code `multiFactorInfoNotFound` or `internalError`.
  public func removeFactor(_ uid: String, of userID: String) async throws {
    let outcome = try await auth.withStore(user: userID) { store in
      let account = try await store.account(of: userID)
      return (account, try await store.removeFactor(uid, of: userID, ifGeneration: nil))
    }
    guard case (let account, .removed(let generation)) = outcome else { throw AuthError(.multiFactorInfoNotFound) }
    let factorID = account.factors.first { $0.uid == uid }?.kind.factorID
    auth.events.record(.unenrolled, user: userID, factor: uid, factorID: factorID)
    if generation != account.generation { tellOfRevocation(userID) }
  }

  /// Adds a factor that the user has already: from another system, or a hardware token.
  ///
  /// - Returns: The factor's `uid`.
  /// - Throws: ``AuthError`` with code `secondFactorAlreadyEnrolled`, `maximumSecondFactorCountExceeded` or
  ///   `internalError`.
  @discardableResult
  public func importFactor(_ factor: FactorImport, for userID: String) async throws -> String {
    try check(userID)
    let record = try factor.record(for: userID, at: auth.now(), sealer: auth.sealer)
    let conditions = EnrollmentConditions(
      generation: nil, allowsExistingFactors: true, maximumFactorCount: auth.configuration.maximumFactorCount)
    let outcome = try await auth.withStore(user: userID) { store in
      try await store.enroll(record, under: conditions)
    }
    switch outcome {
    case .enrolled:
      auth.events.record(.imported, user: userID, factor: record.uid, factorID: record.kind.factorID)
      return record.uid
    case .alreadyEnrolled: throw AuthError(.secondFactorAlreadyEnrolled)
    case .tooMany: throw AuthError(.maximumSecondFactorCountExceeded)
    case .revoked, .factorsExist, .challengeSpent: throw auth.failed(.store, userID)
    }
  }

  /// Puts factors in the place of all that a user has, deletes the recovery codes, and revokes the user's handles. No
  /// factors: removes them all.
  ///
  /// A secret that the user has already keeps its last accepted step or counter.
  ///
  /// - Returns: The factors' `uid`s, in order.
  /// - Throws: ``AuthError`` with code `secondFactorAlreadyEnrolled` where two have one phone number or secret,
  ///   `maximumSecondFactorCountExceeded` or `internalError`.
  @discardableResult
  public func overwriteFactors(of userID: String, with factors: [FactorImport]) async throws -> [String] {
    try check(userID)
    guard factors.count <= auth.configuration.maximumFactorCount else {
      throw AuthError(.maximumSecondFactorCountExceeded)
    }
    let now = auth.now()
    let records = try factors.map { factor throws(AuthError) in
      try factor.record(for: userID, at: now, sealer: auth.sealer)
    }
    let generation = try await auth.withStore(user: userID) { store in
      try await store.replaceFactors(of: userID, with: records)
    }
    guard generation != nil else { throw AuthError(.secondFactorAlreadyEnrolled) }
    auth.events.record(.overwritten, user: userID)
    tellOfRevocation(userID)
    return records.map(\.uid)
  }

  /// Deletes a user's recovery codes: when others may have seen them.
  ///
  /// - Throws: ``AuthError`` with code `internalError`.
  public func removeRecoveryCodes(of userID: String) async throws {
    _ = try await auth.withStore(user: userID) { store in
      try await store.replaceRecoveryCodes(of: userID, with: [], ifGeneration: nil)
    }
    auth.events.record(.recoveryCodesReplaced, user: userID)
  }

  /// Clears the failures of a factor, or, with ``RecoveryCodeMultiFactorID``, of the recovery codes: unlocks it.
  ///
  /// - Throws: ``AuthError`` with code `multiFactorInfoNotFound` or `internalError`.
  public func unlock(_ uid: String, of userID: String) async throws {
    let target: UnlockTarget = uid == RecoveryCodeMultiFactorID ? .recoveryCodes : .factor(uid: uid)
    let isFound = try await auth.withStore(user: userID) { store in try await store.unlock(target, of: userID) }
    guard isFound else { throw AuthError(.multiFactorInfoNotFound) }
    auth.events.record(.unlocked, user: userID, factor: uid)
  }

  /// Revokes all handles of a user, and the sign-ins under way.
  ///
  /// - Throws: ``AuthError`` with code `internalError`.
  public func revokeHandles(of userID: String) async throws {
    try check(userID)
    _ = try await auth.withStore(user: userID) { store in try await store.revokeHandles(of: userID) }
    tellOfRevocation(userID)
  }

  /// A page of all users who have anything, in the order of their IDs' bytes, without secrets.
  ///
  /// - Parameters:
  ///   - userID: The last user of the page before; `nil` for the first page.
  ///   - limit: How many users at most, 1...1000; anything else is brought into that range.
  /// - Returns: The users; none once there are no more.
  /// - Throws: ``AuthError`` with code `internalError`.
  public func export(after userID: String? = nil, limit: Int = 100) async throws -> [AdministeredUser] {
    let limit = max(1, min(limit, 1000))
    let accounts = try await auth.withStore(user: userID ?? "") { store in
      try await store.accounts(after: userID, limit: limit)
    }
    return accounts.map(administered)
  }

  /// Seals anew, by the active key, whatever is sealed by another one: after a rotation, before the old key is removed.
  ///
  /// It goes through all users, page by page, and can be interrupted and called again. A factor that does not open is
  /// counted and left as it is.
  ///
  /// - Returns: How many factors were sealed anew, and how many do not open.
  /// - Throws: ``AuthError`` with code `internalError` where the store fails.
  @discardableResult
  public func resealAll() async throws -> (resealed: Int, unreadable: Int) {
    var counts = (resealed: 0, unreadable: 0)
    var last: String?
    while true {
      let page = try await auth.withStore(user: last ?? "") { store in
        try await store.accounts(after: last, limit: 100)
      }
      guard let end = page.last else { return counts }
      // A page that does not go on would have this go on for ever.
      if let last, ByteKey(end.userID) <= ByteKey(last) { throw auth.failed(.store, end.userID) }
      for factor in page.flatMap(\.factors) {
        do {
          if try await auth.reseal(factor) {
            counts.resealed += 1
            auth.events.record(.resealed, user: factor.userID, factor: factor.uid, factorID: factor.kind.factorID)
          }
        } catch {
          guard error.reason == .sealing else { throw error }
          counts.unreadable += 1
        }
      }
      last = end.userID
    }
  }

  private func administered(_ account: AccountRecord) -> AdministeredUser {
    let now = auth.now()
    let factors = account.factors.map { factor in
      AdministeredFactor(
        info: auth.sealer.info(of: factor), attempts: factor.attempts, policy: auth.configuration.attemptPolicy,
        now: now)
    }
    return AdministeredUser(
      userID: account.userID, factors: factors, recoveryCodesRemaining: account.recoveryCodesRemaining)
  }

  private func check(_ userID: String) throws(AuthError) {
    guard Principal(id: userID).isWellFormed else { throw AuthError(.userMismatch) }
  }

  private func tellOfRevocation(_ userID: String) {
    auth.events.record(.handlesRevoked, user: userID)
    auth.events.stateChanges.send(.revoked(userID: userID))
  }
}

extension MultiFactorAdmin: Redacted {}
