import Foundation

/// The second factors of a signed-in user: what the SDK calls `multiFactor`.
///
/// Everything here reads and changes the store, so that what one server does the next one sees.
public struct MultiFactorUser: Sendable {
  let user: User

  private var auth: MultiFactorAuth { user.auth }

  /// The user's factors, in the order of their enrolment. Phone numbers are masked.
  ///
  /// - Throws: ``AuthError`` with code `userTokenExpired` or `internalError`.
  public var enrolledFactors: [any MultiFactorInfo] {
    get async throws {
      let account = try await auth.currentAccount(of: user.state)
      return account.factors.map(auth.sealer.info)
    }
  }

  /// How many recovery codes the user has left.
  ///
  /// - Throws: ``AuthError`` with code `userTokenExpired` or `internalError`.
  public var recoveryCodesRemaining: Int {
    get async throws { try await auth.currentAccount(of: user.state).recoveryCodesRemaining }
  }

  /// Begins an enrolment.
  ///
  /// - Throws: ``AuthError`` with code `operationNotAllowed` where nothing can be enrolled; `unsupportedFirstFactor`;
  ///   `unverifiedEmail`; `requiresRecentLogin` where the first factor was proved too long ago, or the user has a second
  ///   factor and has not proved one; `userTokenExpired`; `internalError`.
  public func session() async throws -> MultiFactorSession {
    let state = user.state
    let account = try await auth.currentAccount(of: state)
    try auth.checkMayChangeFactors(state, of: account)
    return MultiFactorSession(
      auth: auth, kind: .enrollment,
      state: state.expiring(at: auth.now().addingTimeInterval(auth.configuration.sessionLifetime)))
  }

  /// Enrols a factor, and renews the handle: its claims now have this factor as the one that was proved.
  ///
  /// - Parameters:
  ///   - assertion: What the user has typed, made by a generator for enrolment.
  ///   - displayName: What the user calls the factor; 100 characters, and 1,024 bytes, at most are kept.
  /// - Returns: The same user, with the renewed handle.
  /// - Throws: ``AuthError`` with the codes of ``session()``; `invalidVerificationCode`; `missingVerificationCode`;
  ///   `sessionExpired`; `invalidVerificationID`; `secondFactorAlreadyEnrolled`; `maximumSecondFactorCountExceeded`;
  ///   `userMismatch` where the assertion belongs to another user; `tooManyRequests`.
  @discardableResult
  public func enroll(with assertion: MultiFactorAssertion, displayName: String?) async throws -> AuthDataResult {
    let state = user.state
    let proof = try await Enroller(auth: auth, state: state).enroll(assertion, displayName: displayName)
    user.prove(proof)
    auth.events.stateChanges.send(.updated(user))
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
    let state = user.state
    let account = try await auth.currentAccount(of: state)
    try auth.checkIsRecent(state, of: account)
    let outcome = try await auth.withStore(user: state.userID) { store in
      try await store.removeFactor(uid, of: state.userID, ifGeneration: state.generation)
    }
    switch outcome {
    case .removed(let generation):
      let factorID = account.factors.first { $0.uid == uid }?.kind.factorID
      auth.events.record(.unenrolled, user: state.userID, factor: uid, factorID: factorID)
      if generation != state.generation {
        auth.events.record(.handlesRevoked, user: state.userID)
        auth.events.stateChanges.send(.revoked(userID: state.userID))
      } else {
        auth.events.stateChanges.send(.updated(user))
      }
    case .notFound: throw AuthError(.multiFactorInfoNotFound)
    case .revoked: throw auth.revoked(state)
    }
  }

  /// Makes new recovery codes, in the place of any that the user has. They can be seen this once.
  ///
  /// - Returns: Ten codes of 80 bits, each good for one sign-in.
  /// - Throws: ``AuthError`` with code `operationNotAllowed`; `multiFactorInfoNotFound` where the user has no factor
  ///   that they could stand in for; `requiresRecentLogin`; `userTokenExpired`; `internalError`.
  public func generateRecoveryCodes() async throws -> RecoveryCodes {
    let state = user.state
    guard auth.acceptsRecoveryCodes else { throw auth.disabled(RecoveryCodeMultiFactorID, state) }
    let account = try await auth.currentAccount(of: state)
    guard !account.factors.isEmpty else { throw AuthError(.multiFactorInfoNotFound) }
    try auth.checkIsRecent(state, of: account)
    let codes = try RecoveryCodes.random(by: auth.sealer)
    let hashes = try codes.hashes(of: state.userID, by: auth.sealer)
    let isReplaced = try await auth.withStore(user: state.userID) { store in
      try await store.replaceRecoveryCodes(of: state.userID, with: hashes, ifGeneration: state.generation)
    }
    guard isReplaced else { throw auth.revoked(state) }
    auth.events.record(.recoveryCodesReplaced, user: state.userID)
    return codes
  }
}

extension MultiFactorUser: Redacted {}
