import Foundation
import Keyring
import OTP

/// What an administrator can do with a user's factors, without the user.
///
/// The host decides who is an administrator; nothing here checks. Only ``exportSecrets(of:)`` reveals secrets. A user ID
/// that is empty, over 256 bytes or contains a control character is refused as an ``AuthError`` with code `userMismatch`.
public struct MultiFactorAdmin: Sendable {
  let context: Context

  /// What is held about a user, without secrets; also works for a user who has nothing.
  ///
  /// - Throws: ``AuthError`` with code `internalError`.
  public func user(_ userID: String) async throws -> AdministeredUser {
    try check(userID)
    return administered(userID, try await context.account(of: userID))
  }

  /// A user's factors, in the order of their enrolment, with their attempt counts.
  ///
  /// - Throws: ``AuthError`` with code `internalError`.
  public func factors(of userID: String) async throws -> [AdministeredFactor] { try await user(userID).factors }

  /// Removes a factor, as its user could, but without requiring a recent sign-in.
  ///
  /// As there, removing the most recently enrolled of several factors revokes the user's handles; to revoke them in any
  /// case, call ``revokeHandles(of:)`` too.
  ///
  /// - Throws: ``AuthError`` with code `multiFactorInfoNotFound` or `internalError`.
  public func removeFactor(_ uid: String, of userID: String) async throws {
    guard Factor.isName(uid) else { throw AuthError(.multiFactorInfoNotFound) }
    _ = try await changeRevoking(userID) { account, clock throws(Refusal) in
      try account.remove(uid, by: clock)
    } report: { removed in
      context.events.record(.unenrolled, user: userID, factor: uid, factorID: removed.kind.rawValue)
    }
  }

  /// Adds a factor that the user already has: from another system, or a hardware token.
  ///
  /// If the user had a factor with the same secret here, the steps or counters that it accepted stay spent, whatever the
  /// name, `t0`, period or counter now. If the new ones are numbered lower, no code is accepted until they have passed
  /// the last accepted one: then use a new secret. The account remembers this for at least the latest 50 secrets that
  /// were removed. To HMAC, zeros at the end of a secret make no difference, and a secret longer than a block is the same
  /// as its hash: so they are here.
  ///
  /// - Returns: The factor's `uid`.
  /// - Throws: ``AuthError`` with code `secondFactorAlreadyEnrolled` if the user already has its secret, number or
  ///   `uid`; `missingMultiFactorInfo` if its `uid` is invalid; `maximumSecondFactorCountExceeded`; `internalError`.
  @discardableResult
  public func importFactor(_ factor: FactorImport, for userID: String) async throws -> String {
    let uid = try name(of: factor, for: userID)
    let limit = context.configuration.maximumFactorCount
    let kind = try await change(userID) { account, clock throws(Refusal) in
      let factor = try factor.factor(uid, in: account, at: account.now(by: clock))
      try account.add(factor, atMost: limit, by: clock)
      return factor.kind
    }
    context.events.record(.imported, user: userID, factor: uid, factorID: kind.rawValue)
    return uid
  }

  /// Replaces all of a user's factors, deletes the recovery codes, and revokes the user's handles. An empty list
  /// removes all factors.
  ///
  /// What was spent of a secret stays spent, as with ``importFactor(_:for:)``, and the failures of a factor whose secret or
  /// number stays are kept. So are the account's, unless the list is empty: to lift a lock, call ``unlock(_:of:)``. A
  /// factor named by ``FactorImport/enrolled(uid:)`` stays as it is.
  ///
  /// - Returns: The factors' `uid`s, in order.
  /// - Throws: ``AuthError`` with code `secondFactorAlreadyEnrolled` if two of them have the same phone number, secret
  ///   or `uid`; `multiFactorInfoNotFound` if the user does not have a factor that is named; `missingMultiFactorInfo`
  ///   if a `uid` is invalid; `maximumSecondFactorCountExceeded`; `internalError`.
  @discardableResult
  public func overwriteFactors(of userID: String, with factors: [FactorImport]) async throws -> [String] {
    guard factors.count <= context.configuration.maximumFactorCount else {
      throw AuthError(.maximumSecondFactorCountExceeded)
    }
    let uids = try factors.map { factor throws(AuthError) in try name(of: factor, for: userID) }
    try await changeRevoking(userID) { account, clock throws(Refusal) in
      let now = account.now(by: clock)
      let factors = try zip(factors, uids).map { (factor, uid) throws(Refusal) in
        try factor.factor(uid, in: account, at: now)
      }
      try account.replace(with: factors, by: clock)
    } report: {
      context.events.record(.overwritten, user: userID)
    }
    return uids
  }

  /// Returns a user's factors with their secrets, to move the user to another system; phones are omitted.
  ///
  /// - Warning: This is the only call that reveals secrets, and with its result anyone can sign in with the user's
  ///   factors for as long as they are enrolled. Never let external requests reach it. It changes nothing: each code is
  ///   accepted once here and once by the other system until the factors are removed.
  ///
  /// - Returns: The factors, in the order of their enrolment. Each is reported as `exported` before this returns.
  /// - Throws: ``AuthError`` with code `internalError`.
  public func exportSecrets(of userID: String) async throws -> [FactorExport] {
    try check(userID)
    let factors = try await context.account(of: userID).factors
    let exports = factors.compactMap(FactorExport.init)
    for factor in factors where factor.kind != .phone {
      context.events.record(.exported, user: userID, factor: factor.uid, factorID: factor.kind.rawValue)
    }
    return exports
  }

  /// Deletes a user's recovery codes, for example if others may have seen them.
  ///
  /// - Throws: ``AuthError`` with code `internalError`.
  public func removeRecoveryCodes(of userID: String) async throws {
    try await change(userID) { account, clock in
      account.advance(to: clock)
      account.dropRecoveryCodes(by: clock)
    }
    context.events.record(.recoveryCodesReplaced, user: userID)
  }

  /// Unlocks a factor or, with ``RecoveryCodeMultiFactorID``, the recovery codes: clears their failures and those of
  /// the whole account.
  ///
  /// - Throws: ``AuthError`` with code `multiFactorInfoNotFound` or `internalError`.
  public func unlock(_ uid: String, of userID: String) async throws {
    guard Factor.isName(uid) else { throw AuthError(.multiFactorInfoNotFound) }
    try await change(userID) { account, clock throws(Refusal) in try account.unlock(uid, by: clock) }
    context.events.record(.unlocked, user: userID, factor: uid)
  }

  /// Revokes all of a user's handles and pending sign-ins.
  ///
  /// - Throws: ``AuthError`` with code `internalError`.
  public func revokeHandles(of userID: String) async throws {
    try await changeRevoking(userID) { account, clock in
      account.revoke(by: clock)
    } report: {
    }
  }

  /// Deletes everything held about a user whom the host deletes, even if the document can no longer be opened.
  ///
  /// The user's handles and pending sign-ins are revoked, including any handed out since an earlier deletion of the
  /// same user. To keep them revoked, a generation and a time stay under the user's ID, and fingerprints of secrets, so
  /// that no code is accepted twice if one is imported again. A call after the lifetime of handles and two days deletes
  /// these too: as late as a handle could be valid by any machine's clock, if no two differ by more than a day.
  ///
  /// - Returns: Whether nothing is held about the user any more.
  /// - Throws: ``AuthError`` with code `internalError`.
  @discardableResult
  public func deleteUser(_ userID: String) async throws -> Bool {
    try check(userID)
    let context = context
    let (key, clock) = (DocumentKey.user(userID), context.now())
    let lifetime = max(context.configuration.userTokenLifetime, context.configuration.sessionLifetime)
    let stride = try context.attempt(user: userID) { () throws(KeyringError) in
      try context.random.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
    let isGone: Bool
    do {
      // A document that does not open could be another store's.
      try context.check(await context.store.document(.mark))
      isGone = try await context.store.change(key) { stored in
        if stored.bytes == nil { try context.check(stored.mark) }
        // Nothing is known of a document that does not open; the random stride still makes for a generation that was
        // never handed out.
        var account = (try? context.open(stored, of: Account.self, under: key)?.document) ?? Account()
        if let date = context.store.lossDate { account.spendAll(until: date, under: context.configuration) }
        let isGone = account.delete(by: clock, after: lifetime, raisingBy: stride)
        stored.bytes = isGone ? nil : try context.seal(account, under: key)
        return isGone
      }
    } catch {
      await context.events.notifyOfRevocation(of: userID)
      throw context.failure(error, user: userID)
    }
    context.events.record(.userDeleted, user: userID)
    await context.events.recordRevocation(of: userID)
    return isGone
  }

  /// A page of all users who have anything, in the byte order of their IDs, without secrets. A user whose document does
  /// not open is left out and reported as an audit event.
  ///
  /// - Parameters:
  ///   - userID: The last user of the previous page; `nil` for the first page.
  ///   - limit: The maximum number of users, clamped to 1...1000.
  /// - Returns: The users; empty if there are no more.
  /// - Throws: ``AuthError`` with code `internalError`.
  public func users(after userID: String? = nil, limit: Int = 100) async throws -> [AdministeredUser] {
    if let userID { try check(userID) }
    let limit = max(1, min(limit, 1000))
    var users: [AdministeredUser] = []
    var last = userID.map(DocumentKey.user) ?? .beforeUsers
    while users.count < limit {
      let keys = try await keys(after: last, limit: limit - users.count)
      for key in keys {
        // Users' documents sort last.
        guard let userID = key.userID else { continue }
        do {
          let account = try await context.account(of: userID)
          if !account.isEmpty { users.append(administered(userID, account)) }
        } catch {
          guard error.reason == .sealing else { throw error }
        }
      }
      guard let end = keys.last else { break }
      last = end
    }
    return users
  }

  /// Seals again, with the active key, every document that another key has sealed: after a rotation, before the old key
  /// is removed.
  ///
  /// It goes through all documents, page by page, and can be interrupted and called again. A document that does not
  /// open is counted and left as it is.
  ///
  /// - Returns: How many documents were sealed again, and how many do not open.
  /// - Throws: ``AuthError`` with code `internalError` if the store fails.
  @discardableResult
  public func resealAll() async throws -> (resealed: Int, unreadable: Int) {
    var counts = (resealed: 0, unreadable: 0)
    var last: DocumentKey?
    while true {
      let keys = try await keys(after: last, limit: 100)
      guard let end = keys.last else { return counts }
      for key in keys {
        do {
          guard try await reseal(key) else { continue }
          counts.resealed += 1
          if let userID = key.userID { context.events.record(.resealed, user: userID) }
        } catch {
          let failure = context.failure(error, user: key.userID)
          guard failure.reason == .sealing else { throw failure }
          counts.unreadable += 1
        }
      }
      last = end
    }
  }

  private func reseal(_ key: DocumentKey) async throws -> Bool {
    if key == .mark { return try await StoreMark.reseal(in: context.store, by: context.keyring) }
    if key.userID != nil { return try await context.reseal(key, of: Account.self) }
    return try await context.reseal(key, of: MessageLog.self)
  }

  private func keys(after last: DocumentKey?, limit: Int) async throws(AuthError) -> [DocumentKey] {
    do {
      let keys = try await context.store.page(after: last, limit: limit)
      try context.check(await context.store.document(.mark))
      return keys
    } catch {
      throw context.failure(error, user: nil)
    }
  }

  private func change<R: Sendable>(
    _ userID: String, _ rule: @escaping @Sendable (inout Account, Date) throws(Refusal) -> R
  ) async throws(AuthError) -> R {
    try check(userID)
    let clock = context.now()
    return try await context.change(userID) { account throws(Refusal) in try rule(&account, clock) }
  }

  private func changeRevoking<R: Sendable>(
    _ userID: String, _ rule: @escaping @Sendable (inout Account, Date) throws(Refusal) -> R, report: (R) -> Void
  ) async throws(AuthError) -> R {
    try check(userID)
    let clock = context.now()
    return try await context.changeRevoking(
      userID, { account throws(Refusal) in try rule(&account, clock) }, report: report)
  }

  /// The name given for an imported factor, or a new one.
  private func name(of factor: FactorImport, for userID: String) throws(AuthError) -> String {
    guard let uid = factor.uid else { return try context.randomName(user: userID) }
    guard Factor.isName(uid), uid != FactorKind.recovery.rawValue else { throw AuthError(.missingMultiFactorInfo) }
    return uid
  }

  private func administered(_ userID: String, _ account: Account) -> AdministeredUser {
    AdministeredUser(userID, account, by: context.now(), under: context.configuration.attemptPolicy)
  }

  private func check(_ userID: String) throws(AuthError) {
    guard Principal(id: userID).isWellFormed else { throw AuthError(.userMismatch) }
  }
}

extension MultiFactorAdmin: Redacted {}
