import Foundation
import OTP

/// The second factors of a signed-in user: what the SDK calls `multiFactor`.
///
/// Everything here reads and changes the store, so that what one server does the next one sees.
public struct MultiFactorUser: Sendable {
  let user: User

  private var context: Context { user.context }

  /// The user's factors, in the order of their enrolment. Phone numbers are masked.
  ///
  /// - Throws: ``AuthError`` with code `userTokenExpired` or `internalError`.
  public var enrolledFactors: [any MultiFactorInfo] {
    get async throws { try await context.account(admitting: user.signIn).0.factors.map(\.info) }
  }

  /// How many recovery codes the user has left.
  ///
  /// - Throws: ``AuthError`` with code `userTokenExpired` or `internalError`.
  public var recoveryCodesRemaining: Int {
    get async throws { try await context.account(admitting: user.signIn).0.recoveryCodes.count }
  }

  /// Begins an enrolment.
  ///
  /// - Throws: ``AuthError`` with code `operationNotAllowed` where nothing can be enrolled; `unsupportedFirstFactor`;
  ///   `unverifiedEmail`; `requiresRecentLogin` where the first factor was proved too long ago, or the user has a second
  ///   factor and has not proved one; `userTokenExpired`; `internalError`.
  public func session() async throws -> MultiFactorSession {
    let signIn = user.signIn
    let (account, now) = try await context.account(admitting: signIn)
    do {
      try account.checkMayEnroll(signIn, by: now, under: context.configuration)
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
    let context = context
    let signIn = user.signIn
    let configuration = context.configuration

    // What is to be enrolled, and a code that can be compared.
    let candidate = try await assertion.candidate(for: signIn, context)

    // Whether the user may, whether the code is right, and the factor with the code spent.
    let clock = context.now()
    let (proof, content) = try await context.change(signIn.userID) { account throws(Refusal) in
      let proof = try account.enroll(candidate, displayName: displayName, by: signIn, at: clock, under: configuration)
      return (proof, account.factors.last?.content)
    }

    user.renew(with: proof)
    context.events.record(.enrolled, user: signIn.userID, factor: proof.uid, factorID: proof.kind.rawValue)
    context.events.stateChanges.send(.updated(user))
    if case .phone(let number) = content {
      await MessageBudget(context: context, userID: signIn.userID, number: number, isEnrollment: true)
        .noteProof(at: clock)
    }
    return AuthDataResult(user: user)
  }

  /// Removes a factor.
  ///
  /// If it is the one that was enrolled last, all of the user's handles, this one too, are revoked: they throw
  /// `userTokenExpired` until the next sign-in. If it was the only one, the recovery codes are deleted.
  ///
  /// - Throws: ``AuthError`` with code `multiFactorInfoNotFound`, `requiresRecentLogin`, `userTokenExpired` or
  ///   `internalError`.
  public func unenroll(with info: any MultiFactorInfo) async throws { try await unenroll(withFactorUID: info.uid) }

  /// Removes a factor by its name. See ``unenroll(with:)``.
  public func unenroll(withFactorUID uid: String) async throws {
    let context = context
    let signIn = user.signIn
    let configuration = context.configuration
    let clock = context.now()
    let removed = try await context.change(signIn.userID) { account throws(Refusal) in
      try account.remove(uid, by: signIn, at: clock, under: configuration)
    }
    context.events.record(.unenrolled, user: signIn.userID, factor: uid, factorID: removed.kind.rawValue)
    if removed.isRevocation {
      context.events.recordRevocation(of: signIn.userID)
    } else {
      context.events.stateChanges.send(.updated(user))
    }
  }

  /// Makes new recovery codes, in the place of any that the user has. They can be seen this once.
  ///
  /// - Returns: Ten codes of 80 bits, each good for one sign-in.
  /// - Throws: ``AuthError`` with code `operationNotAllowed`; `multiFactorInfoNotFound` where the user has no factor
  ///   that they could stand in for; `requiresRecentLogin`; `userTokenExpired`; `internalError`.
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
