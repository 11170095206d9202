import Foundation

/// Proves a second factor: reserves the attempt, checks the code, spends it. In that order, whatever the factor.
///
/// What a refusal looks like to the client does not depend on what was wrong with the code; the audit event says.
struct SignInVerifier {
  let auth: MultiFactorAuth
  let state: SignInState

  private var userID: String { state.userID }

  /// The proof, if the assertion holds.
  func verify(_ assertion: MultiFactorAssertion) async throws(AuthError) -> SignInState.SecondFactorProof {
    switch assertion.content {
    case .oneTimePassword(let uid, let kind, let code):
      try await verifyCodes([code], of: uid, kind: kind, scan: CodeCheck.scan)
    case .resynchronization(let uid, let codes):
      try await verifyCodes(codes, of: uid, kind: .hotp, scan: CodeCheck.resynchronize)
    case .phone(let credential):
      try await verifyPhone(credential)
    case .recoveryCode(let text):
      try await verifyRecoveryCode(text)
    case .enrollment:
      throw AuthError(.missingMultiFactorInfo)
    }
  }

  private typealias Scan =
    @Sendable (CodeCheck, [String], Opened, FactorRecord) throws(AuthError) -> CodeCheck.Result

  private func verifyCodes(
    _ texts: [String], of uid: String, kind: FactorRecord.Kind, scan: Scan
  ) async throws(AuthError) -> SignInState.SecondFactorProof {
    guard !uid.isEmpty else { throw AuthError(.missingMultiFactorInfo) }
    guard auth.configuration.allows(kind) else { throw auth.disabled(kind.factorID, state) }
    let codes = try canonicalCodes(texts, uid, kind)

    let now = auth.now()
    let reservation = try await reserve(.factor(uid: uid), at: now, uid, kind.factorID)
    guard let factor = reservation.factor, factor.uid.hasBytes(of: uid), factor.userID.hasBytes(of: userID) else {
      throw auth.failed(.store, userID, uid, kind.factorID)
    }
    guard factor.kind == kind else { throw notFound(uid, kind.factorID) }

    // From here on the attempt counts as a failure until it is accepted.
    let opened = try auth.sealer.open(factor.sealed, for: .totpSecret, boundTo: [userID, uid])
    let check = CodeCheck(configuration: auth.configuration, now: now)
    let result: CodeCheck.Result
    do { result = try scan(check, codes, opened, factor) } catch {
      throw auth.failed(error.reason == .cryptography ? .cryptography : .sealing, userID, uid, kind.factorID)
    }
    switch result {
    case .refused(let reason):
      throw refused(reason, uid, kind.factorID)
    case .accepted(let position, let drift):
      let evidence = Acceptance.Evidence.position(position, drift: drift, factorUID: uid)
      try await accept(evidence, reservation, uid, kind.factorID)
    }
    if !opened.isByActiveKey { await auth.resealInPassing(factor) }
    return SignInState.SecondFactorProof(uid: uid, factorID: kind.factorID, date: now)
  }

  /// What was typed as ASCII digits. What is no code is no guess: it is refused without an attempt.
  private func canonicalCode(
    _ text: String, _ lengths: ClosedRange<Int>, _ uid: String, _ factorID: String
  ) throws(AuthError) -> String {
    do { return try CodeText.digits(of: text, lengths) } catch {
      throw error.code == .missingVerificationCode ? error : refused(.malformed, uid, factorID)
    }
  }

  private func canonicalCodes(
    _ texts: [String], _ uid: String, _ kind: FactorRecord.Kind
  ) throws(AuthError) -> [String] {
    var codes: [String] = []
    for text in texts { codes.append(try canonicalCode(text, 6...8, uid, kind.factorID)) }
    guard !codes.isEmpty else { throw AuthError(.missingVerificationCode) }
    return codes
  }

  private func verifyPhone(
    _ credential: PhoneAuthCredential
  ) async throws(AuthError) -> SignInState.SecondFactorProof {
    guard auth.configuration.phone != nil else { throw auth.disabled(PhoneMultiFactorID, state) }
    let (id, uid) = try auth.sealer.challenge(of: credential.verificationID, userID: userID)
    guard let uid else { throw AuthError(.invalidVerificationID) }
    let code = try canonicalCode(credential.verificationCode, 6...6, uid, PhoneMultiFactorID)
    // Before the attempt: a challenge that is not there any more takes as long as one that is.
    let hash = try auth.sealer.codeHash(of: code, challengeID: id, userID: userID)

    let now = auth.now()
    let reservation = try await reserve(.phoneFactor(uid: uid, challengeID: id), at: now, uid, PhoneMultiFactorID)
    guard let challenge = reservation.challenge, challenge.id == id, challenge.userID.hasBytes(of: userID) else {
      throw auth.failed(.store, userID, uid, PhoneMultiFactorID)
    }
    guard equalInConstantTime(hash, challenge.codeHash) else { throw refused(.wrong, uid, PhoneMultiFactorID) }
    try await accept(.challenge(id: id, factorUID: uid), reservation, uid, PhoneMultiFactorID)
    return SignInState.SecondFactorProof(uid: uid, factorID: PhoneMultiFactorID, date: now)
  }

  private func verifyRecoveryCode(_ text: String) async throws(AuthError) -> SignInState.SecondFactorProof {
    let uid = RecoveryCodeMultiFactorID
    guard auth.acceptsRecoveryCodes else { throw auth.disabled(uid, state) }
    let code: [UInt8]
    do { code = try RecoveryCodeText.bytes(text) } catch {
      throw error.code == .missingVerificationCode ? error : refused(.malformed, uid, uid)
    }

    let now = auth.now()
    let reservation = try await reserve(.recoveryCodes, at: now, uid, uid)
    // The store looks the hash up; since it is keyed, how it does that tells nothing of the codes.
    let hash = try auth.sealer.hash(code, for: .recoveryCode, boundTo: [userID])
    try await accept(.recoveryCode(hash: hash), reservation, uid, uid)
    return SignInState.SecondFactorProof(uid: uid, factorID: uid, date: now)
  }
}

// The two steps that the store takes, and what their outcomes mean.
extension SignInVerifier {
  private func reserve(
    _ target: AttemptTarget, at now: Date, _ uid: String, _ factorID: String
  ) async throws(AuthError) -> Reservation {
    let outcome = try await auth.withStore(user: userID) { store in
      try await store.reserveAttempt(
        on: target, of: userID, at: now, under: auth.configuration.attemptPolicy, ifGeneration: state.generation)
    }
    switch outcome {
    case .revoked: throw auth.revoked(state)
    case .reserved(let reservation):
      guard reservation.generation == state.generation else { throw auth.revoked(state) }
      return reservation
    case .refused(let retryAfter): throw auth.tooMany(retryAfter, userID, uid, factorID)
    // To the client, recovery codes that are all used are as one that is wrong.
    case .notFound where factorID == RecoveryCodeMultiFactorID: throw refused(.notFound, uid, factorID)
    case .notFound: throw notFound(uid, factorID)
    case .challengeNotFound: throw refused(.replayed, uid, factorID)
    case .challengeExpired: throw refused(.late, uid, factorID)
    }
  }

  private func accept(
    _ evidence: Acceptance.Evidence, _ reservation: Reservation, _ uid: String, _ factorID: String
  ) async throws(AuthError) {
    let acceptance = Acceptance(evidence, reservation: reservation.number, generation: state.generation)
    let outcome = try await auth.withStore(user: userID) { store in
      try await store.accept(acceptance, of: userID)
    }
    switch outcome {
    case .accepted: return
    case .replayed:
      // A recovery code that is not there was used, or never was one: nobody can tell.
      throw refused(factorID == RecoveryCodeMultiFactorID ? .wrong : .replayed, uid, factorID)
    case .revoked: throw auth.revoked(state)
    case .notFound: throw notFound(uid, factorID)
    }
  }

  private func notFound(_ uid: String, _ factorID: String) -> AuthError {
    auth.events.record(.codeRefused, .notFound, user: userID, factor: uid, factorID: factorID)
    return AuthError(.multiFactorInfoNotFound)
  }

  /// Whatever was wrong: to the client it is one and the same.
  private func refused(_ reason: AuditEvent.Reason, _ uid: String, _ factorID: String) -> AuthError {
    auth.events.record(.codeRefused, reason, user: userID, factor: uid, factorID: factorID)
    return AuthError(.invalidVerificationCode)
  }
}
