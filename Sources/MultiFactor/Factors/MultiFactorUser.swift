import Foundation
import OTP

/// The second factors of a signed-in user: what the SDK calls `multiFactor`.
///
/// Everything here reads and changes the store, so that what one server does the next one sees.
public struct MultiFactorUser: Sendable {
  let user: User

  private var context: Context { user.context }

  /// The user's factors, in the order of their enrolment. Phone numbers are whole.
  ///
  /// - Throws: ``AuthError`` with code `userTokenExpired` or `internalError`.
  public var enrolledFactors: [any MultiFactorInfo] {
    get async throws { try await user.account().0.factors.map(\.info) }
  }

  /// How many recovery codes the user has left.
  ///
  /// - Throws: ``AuthError`` with code `userTokenExpired` or `internalError`.
  public var recoveryCodesRemaining: Int {
    get async throws { try await user.account().0.recoveryCodes.count }
  }

  /// Begins an enrolment: it can be completed until the session expires, though the first factor is then no longer
  /// recent.
  ///
  /// - Throws: ``AuthError`` with code `operationNotAllowed` where nothing can be enrolled; `unsupportedFirstFactor`;
  ///   `unverifiedEmail`; `requiresRecentLogin` where the first factor was proved too long ago, or the user has a second
  ///   factor and has not proved one; `userTokenExpired`; `internalError`.
  public func session() async throws -> MultiFactorSession {
    let (account, now) = try await user.account()
    let signIn = user.signIn
    do {
      try account.checkMayEnroll(signIn, under: context.configuration)
      try account.checkIsRecent(signIn, by: now, under: context.configuration)
    } catch {
      throw context.refused(error, user.uid)
    }
    let expiry = now.addingTimeInterval(context.configuration.sessionLifetime)
    return MultiFactorSession(context: context, kind: .enrollment, signIn: signIn.expiring(at: expiry))
  }

  /// Enrols a factor, and renews the handle: its claims now have this factor as the one that was proved.
  ///
  /// - Parameters:
  ///   - assertion: What the user has typed, made by a generator for enrolment.
  ///   - displayName: What the user calls the factor; 100 characters, and 1,024 bytes, at most are kept.
  /// - Returns: The same user, with the renewed handle.
  /// - Throws: ``AuthError`` with the codes of ``session()``; `invalidVerificationCode`; `missingVerificationCode`;
  ///   `sessionExpired`; `invalidVerificationID`; `secondFactorAlreadyEnrolled`; `maximumSecondFactorCountExceeded`;
  ///   `userMismatch` where the assertion belongs to another user.
  @discardableResult
  public func enroll(with assertion: MultiFactorAssertion, displayName: String?) async throws -> AuthDataResult {
    try await inSpan(.enroll) { try await add(assertion, displayName: displayName) }
  }

  private func add(_ assertion: MultiFactorAssertion, displayName: String?) async throws -> AuthDataResult {
    let context = context
    let signIn = user.signIn
    let configuration = context.configuration

    // What is to be enrolled, and a code that can be compared.
    let (candidate, question) = try assertion.candidate(of: signIn.userID, context)

    // A code that only the provider of text messages knows.
    try await question?.ask(in: signIn, context)

    // Whether the user may, whether the code is right, and the factor with the code spent.
    let clock = context.now()
    let (proof, content) = try await context.change(signIn.userID) { account throws(Refusal) in
      let proof = try account.enroll(candidate, displayName: displayName, by: signIn, at: clock, under: configuration)
      return (proof, account.factors.last?.content)
    }

    user.renew(with: proof)
    context.events.record(.enrolled, user: signIn.userID, factor: proof.uid, factorID: proof.kind.rawValue)
    context.events.stateChanges.send(.updated(user))
    if case .phone(let number) = content, configuration.phone?.testCode(for: number) == nil {
      await MessageBudget(context: context, userID: signIn.userID, number: number, isEnrollment: true)
        .noteProof(at: clock)
    }
    return AuthDataResult(user: user)
  }

  /// Removes a factor. A handle that was signed in by it loses the second factor from its claims.
  ///
  /// If it is the one of several that was enrolled last, the user is signed out: the factor is removed, all of the user's
  /// handles, this one too, are revoked, and `invalidUserToken` is thrown. If it was the only one, the recovery codes are
  /// deleted, and the handles stay good.
  ///
  /// - Throws: ``AuthError`` with code `invalidUserToken` where the factor was removed and the user signed out;
  ///   `multiFactorInfoNotFound`; `requiresRecentLogin`; `userTokenExpired`; `internalError`.
  public func unenroll(with info: any MultiFactorInfo) async throws { try await unenroll(withFactorUID: info.uid) }

  /// Removes a factor by its name. See ``unenroll(with:)``.
  public func unenroll(withFactorUID uid: String) async throws {
    try await inSpan(.unenroll) { try await remove(uid) }
  }

  private func remove(_ uid: String) async throws {
    guard Factor.isName(uid) else { throw AuthError(.multiFactorInfoNotFound) }
    let context = context
    let signIn = user.signIn
    let configuration = context.configuration
    let clock = context.now()
    let (removed, isProved) = try await context.changeRevoking(signIn.userID) { account throws(Refusal) in
      let removed = try account.remove(uid, by: signIn, at: clock, under: configuration)
      return (removed, account.keeps(signIn.proof))
    } report: { removed, _ in
      context.events.record(.unenrolled, user: signIn.userID, factor: uid, factorID: removed.kind.rawValue)
    }
    if !isProved { user.drop(signIn.proof) }
    guard !removed.isRevocation else { throw AuthError(.invalidUserToken) }
    context.events.stateChanges.send(.updated(user))
  }

  /// Makes new recovery codes, in the place of any that the user has. They can be seen this once.
  ///
  /// They need a factor that was proved recently, whenever the first factor was; a recovery code is not one. A user who
  /// has signed in by a recovery code enrols a new factor first, which counts as proved by that.
  ///
  /// - Returns: Ten codes of 120 bits, each good for one sign-in.
  /// - Throws: ``AuthError`` with code `operationNotAllowed`; `multiFactorInfoNotFound` where the user has no factor
  ///   that they could stand in for; `requiresRecentLogin` if no factor was proved recently; `userTokenExpired`;
  ///   `internalError`.
  public func generateRecoveryCodes() async throws -> RecoveryCodes {
    let signIn = user.signIn
    let configuration = context.configuration
    guard configuration.allows(.recovery) else { throw context.refused(.disabled(.recovery), signIn.userID) }
    let codes = try RecoveryCodes.random(for: signIn.userID, in: context)
    let hashes = try codes.hashes(of: signIn.userID, in: context)
    let clock = context.now()
    try await context.change(signIn.userID) { account throws(Refusal) in
      try account.replaceRecoveryCodes(with: hashes, by: signIn, at: clock, under: configuration)
    }
    context.events.record(.recoveryCodesReplaced, user: signIn.userID)
    return codes
  }
}

extension MultiFactorUser: Redacted {}
