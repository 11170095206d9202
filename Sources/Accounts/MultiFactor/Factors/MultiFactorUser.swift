import Foundation
import OTP

/// A signed-in user's second factors: `multiFactor` in the SDK.
///
/// Everything here reads and writes the store, so that all servers see each other's changes.
public struct MultiFactorUser: Sendable {
  package let user: User

  package var context: Context { user.context }

  /// The user's factors, in the order of their enrollment. Phone numbers are not masked.
  ///
  /// - Throws: ``AuthError`` with code `userTokenExpired` or `internalError`.
  public var enrolledFactors: [any MultiFactorInfo] {
    get async throws { try await user.account().0.factors.map { context.info(of: $0) } }
  }

  /// How many recovery codes the user has left.
  ///
  /// - Throws: ``AuthError`` with code `userTokenExpired` or `internalError`.
  public var recoveryCodesRemaining: Int {
    get async throws { try await user.account().0.recoveryCodes.count }
  }

  /// Begins an enrollment, which can be completed until the session expires, even if the first factor is no longer
  /// recent by then.
  ///
  /// - Throws: ``AuthError`` with code `operationNotAllowed` if nothing can be enrolled; `unsupportedFirstFactor`;
  ///   `unverifiedEmail`; `requiresRecentLogin` if the first factor was verified too long ago, or the user has a second
  ///   factor and has not verified one; `userTokenExpired`; `internalError`.
  public func session() async throws -> MultiFactorSession {
    let (account, now) = try await user.account()
    let signIn = user.signIn
    try context.reporting(user.uid) {
      try account.checkMayEnroll(signIn, under: context.configuration)
      try account.checkIsRecent(signIn, at: now, under: context.configuration)
    }
    let expiry = now + context.configuration.sessionLifetime
    return MultiFactorSession(context: context, kind: .enrollment, signIn: signIn.expiring(at: expiry))
  }

  /// Enrolls a factor, and renews the handle: its claims now name this factor as the one that was verified.
  ///
  /// - Parameters:
  ///   - assertion: The user's code, as an assertion for enrollment from a generator.
  ///   - displayName: What the user calls the factor; at most 100 characters and 1,024 bytes are kept.
  /// - Returns: The same user, with the renewed handle, and the factor.
  /// - Throws: ``AuthError`` with the codes of ``session()``; `invalidVerificationCode`; `missingVerificationCode`;
  ///   `sessionExpired`; `secondFactorAlreadyEnrolled`; `maximumSecondFactorCountExceeded`;
  ///   `userMismatch` if the assertion belongs to another user.
  @discardableResult
  public func enroll(with assertion: MultiFactorAssertion, displayName: String?) async throws -> AuthDataResult {
    let (context, user, signIn) = (context, user, user.signIn)
    return try await context.perform(.enroll, for: signIn.userID) {
      // The candidate, with a code that can be compared, or accepted by the service of an external factor.
      let session = MultiFactorSession(context: context, kind: .enrollment, signIn: signIn)
      let candidate = try await assertion.candidate(in: session)

      // In one transaction: check that the user may, check the code, and add the factor with the code spent.
      let (time, configuration) = (context.events.now(), context.configuration)
      let (proof, factor) = try await context.apply(to: signIn.userID) { account throws(Refusal) in
        let proof = try account.enroll(candidate, displayName: displayName, by: signIn, at: time, under: configuration)
        return (proof, account.factors.last)
      }

      user.renew(with: proof)
      context.events.record(.enrolled, user: signIn.userID, factor: proof.uid, factorID: proof.kind.rawValue)
      return AuthDataResult(user: user, enrolled: factor.map { context.info(of: $0) })
    }
  }

  /// Removes a factor. The claims of a handle that was signed in with it lose the second factor.
  ///
  /// If it is the most recently enrolled of several, the user is signed out: the factor is removed, all of the user's
  /// handles, including this one, are revoked, and `invalidUserToken` is thrown. If it was the only one, the recovery
  /// codes are deleted, and the handles stay valid.
  ///
  /// - Throws: ``AuthError`` with code `invalidUserToken` if the factor was removed and the user signed out;
  ///   `multiFactorInfoNotFound`; `requiresRecentLogin`; `userTokenExpired`; `internalError`.
  public func unenroll(withFactorUID uid: String) async throws {
    let (context, user, signIn) = (context, user, user.signIn)
    try await context.perform(.unenroll, for: signIn.userID) {
      guard Factor.isName(uid) else { throw AuthError(.multiFactorInfoNotFound) }
      let (time, configuration) = (context.events.now(), context.configuration)
      let (removed, isVerified) = try await context.changeRevoking(signIn.userID) { account throws(Refusal) in
        let removed = try account.remove(uid, by: signIn, at: time, under: configuration)
        return (removed, account.keeps(signIn.proof))
      } report: { removed, _ in
        context.events.record(.unenrolled, user: signIn.userID, factor: uid, factorID: removed.kind.rawValue)
      }
      if !isVerified { user.drop(signIn.proof) }
      guard !removed.isRevocation else { throw AuthError(.invalidUserToken) }
    }
  }

  /// Generates new recovery codes, which replace any that the user has. They can be seen only now.
  ///
  /// A second factor must have been verified recently, however long ago the first was; a recovery code does not count.
  /// A user who has signed in with a recovery code must enroll a new factor first, which then counts as verified.
  ///
  /// - Returns: Ten codes of 120 bits, each valid for one sign-in.
  /// - Throws: ``AuthError`` with code `operationNotAllowed`; `multiFactorInfoNotFound` if the user has no factor that
  ///   they could stand in for; `requiresRecentLogin` if no factor was verified recently; `userTokenExpired`;
  ///   `internalError`.
  public func generateRecoveryCodes() async throws -> RecoveryCodes {
    let signIn = user.signIn
    let configuration = context.configuration
    guard configuration.allows(.recovery) else { throw context.events.refused(.disabled(.recovery), signIn.userID) }
    let (codes, record) = try RecoveryCodes.random(for: signIn.userID, in: context)
    let time = context.events.now()
    try await context.change(signIn.userID) { account throws(Refusal) in
      try account.replaceRecoveryCodes(with: record, by: signIn, at: time, under: configuration)
    }
    context.events.record(.recoveryCodesReplaced, user: signIn.userID)
    return codes
  }
}

extension MultiFactorUser: Redacted {}
