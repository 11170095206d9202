import Foundation
import Keyring
import MultiFactor
import OTP

extension MultiFactorAuth {
  /// What an administrator can do.
  public var admin: MultiFactorAdmin { MultiFactorAdmin(context: context) }
}

/// What an administrator can do with a user's factors, without the user.
///
/// The host decides who is an administrator; nothing here checks. A user ID that is empty, over 256 bytes or contains a
/// control character is refused as an `AuthError` with code `userMismatch`.
public struct MultiFactorAdmin: Sendable {
  let context: Context

  /// A user's account, without secrets. It also works for a user without one.
  ///
  /// - Throws: `AuthError` with code `internalError`.
  public func user(_ userID: String) async throws -> AdministeredUser {
    try check(userID)
    return administered(userID, try await context.account(of: userID))
  }

  /// Removes a factor, as its user could, but without requiring a recent sign-in.
  ///
  /// As there, removing the most recently enrolled of several factors revokes the user's handles; to revoke them in any
  /// case, call ``revokeTokens(of:)`` too.
  ///
  /// - Throws: `AuthError` with code `multiFactorInfoNotFound` or `internalError`.
  public func removeFactor(_ uid: String, of userID: String) async throws {
    guard Factor.isName(uid) else { throw AuthError(.multiFactorInfoNotFound) }
    _ = try await changeRevoking(userID) { account, time throws(Refusal) in
      try account.remove(uid, at: time)
    } report: { removed in
      context.events.record(.unenrolled, user: userID, factor: uid, factorID: removed.kind.rawValue)
    }
  }

  /// Deletes a user's recovery codes, for example if others may have seen them.
  ///
  /// - Throws: `AuthError` with code `internalError`.
  public func removeRecoveryCodes(of userID: String) async throws {
    try await change(userID) { account, time in
      account.advance(to: time)
      account.dropRecoveryCodes(at: time)
    }
    context.events.record(.recoveryCodesReplaced, user: userID)
  }

  /// Unlocks a factor or, with `RecoveryCodeMultiFactorID`, the recovery codes: clears their failures and those of
  /// the whole account.
  ///
  /// A factor with 100 failures in a row stays locked: remove it, and have the user enroll again (NIST SP 800-63B-4,
  /// section 3.2.2).
  ///
  /// If a wrong clock has set the account's time over a day ahead of this machine's, that is set back; the handles are
  /// then revoked, and the remembered browsers forgotten, since those that had expired would be valid again.
  ///
  /// - Throws: `AuthError` with code `multiFactorInfoNotFound` or `internalError`.
  public func unlock(_ uid: String, of userID: String) async throws {
    guard Factor.isName(uid) else { throw AuthError(.multiFactorInfoNotFound) }
    let (_, isSetBack) = try await changeRevoking(userID) { account, time throws(Refusal) in
      try account.unlock(uid, at: time)
    } report: { unlocked in
      context.events.record(.unlocked, unlocked.isLocked ? .locked : nil, user: userID, factor: uid)
    }
    // Their document has a time of its own.
    if isSetBack { try await context.delete(.remembered, of: userID) }
  }

  /// Revokes all of a user's handles and pending sign-ins.
  ///
  /// - Throws: `AuthError` with code `internalError`.
  public func revokeTokens(of userID: String) async throws {
    try await changeRevoking(userID) { account, time in
      account.revoke(at: time)
    } report: {
    }
  }

  /// Deletes the account of a user whom the host deletes, even if the document can no longer be opened.
  ///
  /// The user's handles and pending sign-ins are revoked, including any handed out since an earlier deletion of the
  /// same user. To keep them revoked, a generation and a time stay under the user's ID, and fingerprints of secrets, so
  /// that no code is accepted twice if one is imported again. A call after the lifetime of handles and two days deletes
  /// these too: as late as a handle could be valid by any machine's clock, if no two differ by more than a day.
  ///
  /// - Returns: Whether everything about the user is now deleted.
  /// - Throws: `AuthError` with code `internalError`.
  @discardableResult
  public func deleteUser(_ userID: String) async throws -> Bool {
    try check(userID)
    let (context, documents) = (context, context.documents)
    let (key, time) = (DocumentKey.user(userID), context.events.now())
    let lifetime = context.configuration.userTokenLifetime.timeInterval
    let stride = try context.reporting(userID) {
      try context.random.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
    let isGone: Bool
    do {
      // A document that does not open could be another store's.
      try documents.check(await documents.store.document(.mark))
      isGone = try await documents.store.change(key) { stored in
        if stored.bytes == nil { try documents.check(stored.mark) }
        // Nothing is known of a document that does not open; the random stride still makes for a generation that was
        // never handed out.
        var account = (try? documents.open(stored, of: Account.self, under: key)?.document) ?? .empty
        if let date = documents.store.lossDate { account.spendAll(until: date, under: context.configuration) }
        let isGone = account.delete(at: time, after: lifetime, raisingBy: stride)
        stored.bytes = isGone ? nil : try documents.seal(account, under: key)
        return isGone
      }
      let kinds = Set(context.externalFactors.map { FactorKind(rawValue: $0.factorID) })
      for kind in kinds.union([.remembered]) { try await documents.delete(.external(kind, userID)) }
    } catch {
      await context.events.notifyOfRevocation(of: userID)
      throw context.events.error(for: error, userID)
    }
    context.events.record(.userDeleted, user: userID)
    await context.events.recordRevocation(of: userID)
    return isGone
  }

  /// A page of the users who have an account, in the byte order of their IDs, without secrets. A user whose document
  /// does not open is left out and reported as an audit event.
  ///
  /// - Parameters:
  ///   - userID: The last user of the previous page; `nil` for the first page.
  ///   - limit: The maximum number of users, clamped to 1...1000.
  /// - Returns: The users; empty if there are no more.
  /// - Throws: `AuthError` with code `internalError`.
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

  func keys(after last: DocumentKey?, limit: Int) async throws(AuthError) -> [DocumentKey] {
    do {
      let keys = try await context.documents.store.page(after: last, limit: limit)
      try context.documents.check(await context.documents.store.document(.mark))
      return keys
    } catch {
      throw context.events.error(for: error, nil)
    }
  }

  func change<R: Sendable>(
    _ userID: String, _ rule: @escaping @Sendable (inout Account, Date) throws(Refusal) -> R
  ) async throws(AuthError) -> R {
    try check(userID)
    let time = context.events.now()
    return try await context.change(userID) { account throws(Refusal) in try rule(&account, time) }
  }

  func changeRevoking<R: Sendable>(
    _ userID: String, _ rule: @escaping @Sendable (inout Account, Date) throws(Refusal) -> R, report: (R) -> Void
  ) async throws(AuthError) -> R {
    try check(userID)
    let time = context.events.now()
    return try await context.changeRevoking(
      userID, { account throws(Refusal) in try rule(&account, time) }, report: report)
  }

  func administered(_ userID: String, _ account: Account) -> AdministeredUser {
    AdministeredUser(userID, account, at: context.events.now(), in: context)
  }

  func check(_ userID: String) throws(AuthError) {
    guard Principal(id: userID).isWellFormed else { throw AuthError(.userMismatch) }
  }
}

extension MultiFactorAdmin: Redacted {}
