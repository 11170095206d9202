import FactorRecord
import Foundation
import Keyring
import MultiFactor
import OTP

extension MultiFactorAdmin {
  /// Adds a factor that the user already has: from another system, or a hardware token.
  ///
  /// If the user had a factor with the same secret here, the steps or counters that it accepted stay spent, whatever
  /// the name, `t0`, period or counter now. If the new ones are numbered lower, no code is accepted until they have
  /// passed the last accepted one: then use a new secret. The account remembers this for at least the latest 50 secrets
  /// that were removed. As HMAC does, this treats secrets as equal if they differ only in zeros at the end, or if one
  /// is the hash of the other, which is longer than a block.
  ///
  /// - Returns: The factor's `uid`.
  /// - Throws: `AuthError` with code `secondFactorAlreadyEnrolled` if the user already has its secret, number or
  ///   `uid`; `missingMultiFactorInfo` if its `uid` is invalid; `maximumSecondFactorCountExceeded`; `internalError`.
  @discardableResult
  public func importFactor(_ factor: FactorImport, for userID: String) async throws -> String {
    let uid = try name(of: factor, for: userID)
    let limit = context.configuration.maximumFactorCount
    // Former secrets that come with it can be too many, which revokes the user's handles.
    _ = try await changeRevoking(userID) { account, time throws(Refusal) in
      let factor = try factor.factor(uid, in: account, at: account.accountTime(at: time))
      try account.add(factor, atMost: limit, at: time)
      return factor.kind
    } report: { kind in
      context.events.record(.imported, user: userID, factor: uid, factorID: kind.rawValue)
    }
    return uid
  }

  /// Replaces all of a user's factors, deletes the recovery codes, and revokes the user's handles. An empty list
  /// removes all factors.
  ///
  /// What was spent of a secret stays spent, as with `importFactor(_:for:)`, and the failures of a factor whose secret
  /// or number stays are kept. So are the account's, unless the list is empty: to lift a lock, call `unlock(_:of:)`;
  /// after 100 failures in a row, only another secret helps. A factor named by `FactorImport.enrolled(uid:)` stays as
  /// it is.
  ///
  /// - Returns: The factors' `uid`s, in order.
  /// - Throws: `AuthError` with code `secondFactorAlreadyEnrolled` if two of them have the same phone number, secret
  ///   or `uid`; `multiFactorInfoNotFound` if the user does not have a factor that is named; `missingMultiFactorInfo`
  ///   if a `uid` is invalid; `maximumSecondFactorCountExceeded`; `internalError`.
  @discardableResult
  public func overwriteFactors(of userID: String, with factors: [FactorImport]) async throws -> [String] {
    guard factors.count <= context.configuration.maximumFactorCount else {
      throw AuthError(.maximumSecondFactorCountExceeded)
    }
    let uids = try factors.map { factor throws(AuthError) in try name(of: factor, for: userID) }
    try await changeRevoking(userID) { account, time throws(Refusal) in
      let now = account.accountTime(at: time)
      let factors = try zip(factors, uids).map { (factor, uid) throws(Refusal) in
        try factor.factor(uid, in: account, at: now)
      }
      try account.replace(with: factors, at: time)
    } report: {
      context.events.record(.overwritten, user: userID)
    }
    return uids
  }

  /// Returns a user's factors with their secrets, to move the user to another system; external factors are omitted.
  ///
  /// - Warning: This is the only call that reveals secrets, and with its result anyone can sign in with the user's
  ///   factors for as long as they are enrolled. Never let external requests reach it. It changes nothing: each code is
  ///   accepted once here and once by the other system until the factors are removed.
  ///
  /// - Returns: The factors, in the order of their enrollment. Each is reported as `exported` before this returns.
  /// - Throws: `AuthError` with code `internalError`.
  public func exportSecrets(of userID: String) async throws -> [FactorExport] {
    try check(userID)
    let factors = try await context.account(of: userID).factors
    let exports = factors.compactMap(FactorExport.init)
    for factor in factors where factor.record != nil {
      context.events.record(.exported, user: userID, factor: factor.uid, factorID: factor.kind.rawValue)
    }
    return exports
  }

  /// The name given for an imported factor, or a new one.
  private func name(of factor: FactorImport, for userID: String) throws(AuthError) -> String {
    guard let uid = factor.uid else { return try context.randomName(user: userID) }
    guard Factor.isName(uid), uid != FactorKind.recovery.rawValue else { throw AuthError(.missingMultiFactorInfo) }
    return uid
  }
}
