import Foundation

// The rules that several operations share, and the errors that they end in.
extension MultiFactorAuth {
  /// Calls the store; what it throws becomes an error of ours.
  func withStore<R: Sendable>(
    user: String, _ body: (any FactorStore) async throws -> R
  ) async throws(AuthError) -> R {
    do { return try await body(store) } catch is CancellationError {
      // The request is gone, not the store.
      throw AuthError(.internalError, reason: .cancelled)
    } catch {
      throw failed(.store, user)
    }
  }

  /// What the store holds of a user.
  ///
  /// - Throws: `internalError`, also where it is what the store holds of somebody else.
  func account(of userID: String) async throws(AuthError) -> AccountRecord {
    let account = try await withStore(user: userID) { store in try await store.account(of: userID) }
    guard account.userID.hasBytes(of: userID), account.factors.allSatisfy({ $0.userID.hasBytes(of: userID) }) else {
      throw failed(.store, userID)
    }
    return account
  }

  /// What the store holds of a user who is signed in, or signing in.
  ///
  /// - Throws: `userTokenExpired` where the sign-in was revoked or has expired; `internalError`.
  func currentAccount(of state: SignInState) async throws(AuthError) -> AccountRecord {
    guard now() < state.expiry else {
      events.record(.tokenRefused, .expired, user: state.userID)
      throw AuthError(.userTokenExpired)
    }
    let account = try await account(of: state.userID)
    guard account.generation == state.generation else { throw revoked(state) }
    return account
  }

  /// Checks that a session, a secret or a resolver has not expired.
  func check(expiry: Date, of userID: String) throws(AuthError) {
    guard now() < expiry else {
      events.record(.tokenRefused, .expired, user: userID)
      throw AuthError(.sessionExpired)
    }
  }

  /// Checks that a user may enrol a factor.
  func checkMayChangeFactors(_ state: SignInState, of account: AccountRecord) throws(AuthError) {
    guard FactorRecord.Kind.allCases.contains(where: configuration.allows) else {
      throw disabled(nil, state)
    }
    guard state.firstFactor.supportsSecondFactor else {
      throw refusedEnrollment(.unsupportedFirstFactor, .unsupportedFirstFactor, state, nil)
    }
    guard state.principal.email?.isEmpty == false, state.principal.isEmailVerified else {
      throw refusedEnrollment(.unverifiedEmail, .unverifiedEmail, state, nil)
    }
    try checkIsRecent(state, of: account)
  }

  /// Checks that the first factor was proved recently and, where the user has factors, one of them was too.
  func checkIsRecent(_ state: SignInState, of account: AccountRecord) throws(AuthError) {
    let isSecondFactorProved = state.secondFactor.map { holds($0, in: account) } ?? false
    guard state.hasRecentFirstFactor(at: now(), within: configuration.recentLoginInterval),
      account.factors.isEmpty || isSecondFactorProved
    else {
      events.record(.operationRefused, .notRecent, user: state.userID)
      throw AuthError(.requiresRecentLogin)
    }
  }

  /// Whether a proof still counts: its factor is there, and its kind is enabled.
  func holds(_ proof: SignInState.SecondFactorProof, in account: AccountRecord) -> Bool {
    if proof.factorID == RecoveryCodeMultiFactorID { return acceptsRecoveryCodes && !account.factors.isEmpty }
    return account.factors.contains { $0.uid.hasBytes(of: proof.uid) && configuration.allows($0.kind) }
  }

  /// Whether recovery codes can be made and used.
  var acceptsRecoveryCodes: Bool { configuration.isEnabled && configuration.allowsRecoveryCodes }

  /// Checks that a session is of this ``MultiFactorAuth``, of a kind, and not expired.
  func check(_ session: MultiFactorSession, _ kind: MultiFactorSession.Kind) throws(AuthError) {
    guard session.auth === self else { throw AuthError(.invalidMultiFactorSession) }
    try session.check(kind)
  }

  /// A factor's secret, sealed by an older key, is sealed anew now that it is open. Whether that works does not matter
  /// to the user who has just signed in.
  func resealInPassing(_ factor: FactorRecord) async {
    do {
      if try await reseal(factor) {
        events.record(.resealed, user: factor.userID, factor: factor.uid, factorID: factor.kind.factorID)
      }
    } catch {
      // Whoever failed has told of it.
    }
  }

  /// Seals a factor's secret or number by the active key, if it is not.
  ///
  /// - Returns: Whether it was sealed anew.
  func reseal(_ factor: FactorRecord) async throws(AuthError) -> Bool {
    let purpose: SealPurpose = factor.kind == .phone ? .phoneNumber : .totpSecret
    let context = [factor.userID, factor.uid]
    let opened = try sealer.open(factor.sealed, for: purpose, boundTo: context)
    guard !opened.isByActiveKey else { return false }
    let sealed = try sealer.seal(opened.bytes, for: purpose, boundTo: context)
    return try await withStore(user: factor.userID) { store in
      try await store.reseal(factor.uid, of: factor.userID, from: factor.sealed, to: sealed)
    }
  }
}

// Errors that are told of.
extension MultiFactorAuth {
  /// The server failed.
  func failed(
    _ reason: AuthError.Reason, _ userID: String, _ uid: String? = nil, _ factorID: String? = nil
  ) -> AuthError {
    events.record(.failed, AuditEvent.Reason(reason), user: userID, factor: uid, factorID: factorID)
    return AuthError(.internalError, reason: reason)
  }

  /// The user's handles were revoked.
  func revoked(_ state: SignInState) -> AuthError {
    events.record(.tokenRefused, .revoked, user: state.userID)
    return AuthError(.userTokenExpired)
  }

  /// The provider is not enabled.
  func disabled(_ factorID: String?, _ state: SignInState) -> AuthError {
    events.record(.operationRefused, .disabled, user: state.userID, factorID: factorID)
    return AuthError(.operationNotAllowed)
  }

  /// An enrolment is refused.
  func refusedEnrollment(
    _ code: AuthErrorCode, _ reason: AuditEvent.Reason, _ state: SignInState, _ factorID: String?
  ) -> AuthError {
    events.record(.enrollmentRefused, reason, user: state.userID, factorID: factorID)
    return AuthError(code)
  }

  /// The factor waits, or is locked.
  func tooMany(_ retryAfter: Date?, _ userID: String, _ uid: String?, _ factorID: String) -> AuthError {
    let wait = retryAfter.map { $0.timeIntervalSince(now()) } ?? .infinity
    let isLock = wait > configuration.attemptPolicy.longestDelay
    events.record(.attemptRefused, isLock ? .locked : .delayed, user: userID, factor: uid, factorID: factorID)
    return AuthError(.tooManyRequests, retryAfter: retryAfter)
  }
}
