import Foundation
import OTP

/// Completes an enrolment: checks that the user can use the factor, and stores it.
struct Enroller {
  let auth: MultiFactorAuth
  let state: SignInState

  private var userID: String { state.userID }

  /// The proof that the new factor is, by being enrolled.
  func enroll(
    _ assertion: MultiFactorAssertion, displayName: String?
  ) async throws(AuthError) -> SignInState.SecondFactorProof {
    let account = try await auth.currentAccount(of: state)
    try auth.checkMayChangeFactors(state, of: account)
    let displayName = displayName.map(FactorName.kept)
    switch assertion.content {
    case .enrollment(let secret, let code):
      return try await enroll(secret, code, displayName, account)
    case .phone(let credential):
      return try await enroll(credential, displayName, account)
    case .oneTimePassword, .resynchronization, .recoveryCode:
      throw AuthError(.missingMultiFactorSession)
    }
  }

  private func enroll(
    _ enrollment: EnrollmentSecret, _ text: String, _ displayName: String?, _ account: AccountRecord
  ) async throws(AuthError) -> SignInState.SecondFactorProof {
    let kind = enrollment.secret.kind
    guard auth.configuration.allows(kind) else { throw auth.disabled(kind.factorID, state) }
    guard enrollment.userID.hasBytes(of: userID) else {
      throw auth.refusedEnrollment(.userMismatch, .mismatch, state, kind.factorID)
    }
    try auth.check(expiry: enrollment.expiry, of: userID)
    guard !text.isEmpty else { throw AuthError(.missingVerificationCode) }
    guard let text = CodeText.canonical(text), let code = try? SubmittedCode(text, digits: enrollment.secret.digits)
    else { throw refused(.malformed, enrollment.uid, kind.factorID) }

    let now = auth.now()
    let position = try position(of: code, enrollment.secret, at: now)
    guard let position else { throw refused(.wrong, enrollment.uid, kind.factorID) }
    let record = FactorRecord(
      userID: userID, uid: enrollment.uid, kind: kind, displayName: displayName, enrollmentDate: now,
      sealed: try enrollment.secret.sealed(by: auth.sealer, userID: userID, uid: enrollment.uid),
      lastAccepted: position)
    try await store(record, challengeID: nil, account)
    return SignInState.SecondFactorProof(uid: record.uid, factorID: kind.factorID, date: now)
  }

  /// The step or counter that a first code is of: it is accepted with the enrolment, and never again.
  private func position(
    of code: SubmittedCode, _ secret: FactorSecret, at now: Date
  ) throws(AuthError) -> UInt64? {
    do {
      let result: Verification
      if secret.kind == .hotp {
        result = try HOTP(secret: secret.secret, algorithm: secret.algorithm, digits: secret.digits).verify(
          code, counter: 0, lookAhead: auth.configuration.hotpLookAhead)
      } else {
        let totp = try TOTP(
          secret: secret.secret, algorithm: secret.algorithm, digits: secret.digits, period: secret.period,
          t0: secret.t0)
        result = try totp.verify(
          code, at: now.unixSeconds,
          window: .adjacent(auth.configuration.adjacentIntervals),
          after: nil)
      }
      guard case .accepted(let position, _) = result else { return nil }
      return position
    } catch {
      throw auth.failed(.cryptography, userID)
    }
  }

  private func enroll(
    _ credential: PhoneAuthCredential, _ displayName: String?, _ account: AccountRecord
  ) async throws(AuthError) -> SignInState.SecondFactorProof {
    let factorID = PhoneMultiFactorID
    guard auth.configuration.phone != nil else { throw auth.disabled(factorID, state) }
    let (id, factorUID) = try auth.sealer.challenge(of: credential.verificationID, userID: userID)
    // A challenge of a sign-in proves a factor that is there already.
    guard factorUID == nil else { throw AuthError(.invalidVerificationID) }
    guard !credential.verificationCode.isEmpty else { throw AuthError(.missingVerificationCode) }
    guard let code = CodeText.canonical(credential.verificationCode), code.utf8.count == 6 else {
      throw refused(.malformed, nil, factorID)
    }

    let now = auth.now()
    let challenge = try await reserve(challenge: id, at: now)
    let hash = try auth.sealer.codeHash(of: code, challengeID: id, userID: userID)
    guard equalInConstantTime(hash, challenge.codeHash) else { throw refused(.wrong, nil, factorID) }

    let number = try auth.sealer.phoneNumber(
      in: challenge.sealedNumber, for: .challengeNumber, boundTo: [userID, id]
    ).number
    let uid = try auth.sealer.randomName()
    let record = FactorRecord(
      userID: userID, uid: uid, kind: .phone, displayName: displayName, enrollmentDate: now,
      sealed: try auth.sealer.seal(number, for: .phoneNumber, boundTo: [userID, uid]),
      uniqueKey: try auth.sealer.uniqueKey(of: number, userID: userID))
    try await store(record, challengeID: id, account)
    return SignInState.SecondFactorProof(uid: uid, factorID: factorID, date: now)
  }

  private func reserve(challenge id: String, at now: Date) async throws(AuthError) -> ChallengeRecord {
    let outcome = try await auth.withStore(user: userID) { store in
      try await store.reserveAttempt(
        on: .enrollmentChallenge(id: id), of: userID, at: now, under: auth.configuration.attemptPolicy)
    }
    switch outcome {
    case .reserved(let reservation):
      guard let challenge = reservation.challenge, challenge.id == id, challenge.userID == userID else {
        throw auth.failed(.store, userID)
      }
      return challenge
    case .refused(let retryAfter): throw auth.tooMany(retryAfter, userID, nil, PhoneMultiFactorID)
    case .notFound, .challengeNotFound: throw refused(.replayed, nil, PhoneMultiFactorID)
    case .challengeExpired:
      auth.events.record(.enrollmentRefused, .expired, user: userID, factorID: PhoneMultiFactorID)
      throw AuthError(.sessionExpired)
    }
  }

  private func store(
    _ record: FactorRecord, challengeID: String?, _ account: AccountRecord
  ) async throws(AuthError) {
    // If the handle has no second factor, then the user had none when it was last looked at: and must have none now.
    let conditions = EnrollmentConditions(
      generation: state.generation, allowsExistingFactors: !account.factors.isEmpty,
      maximumFactorCount: auth.configuration.maximumFactorCount, challengeID: challengeID)
    let outcome = try await auth.withStore(user: userID) { store in
      try await store.enroll(record, under: conditions)
    }
    let factorID = record.kind.factorID
    switch outcome {
    case .enrolled:
      auth.events.record(.enrolled, user: userID, factor: record.uid, factorID: factorID)
    case .revoked: throw auth.revoked(state)
    case .factorsExist: throw auth.refusedEnrollment(.requiresRecentLogin, .notRecent, state, factorID)
    case .alreadyEnrolled: throw auth.refusedEnrollment(.secondFactorAlreadyEnrolled, .duplicate, state, factorID)
    case .tooMany: throw auth.refusedEnrollment(.maximumSecondFactorCountExceeded, .tooMany, state, factorID)
    case .challengeSpent: throw refused(.replayed, nil, factorID)
    }
  }

  private func refused(_ reason: AuditEvent.Reason, _ uid: String?, _ factorID: String) -> AuthError {
    auth.events.record(.enrollmentRefused, reason, user: userID, factor: uid, factorID: factorID)
    return AuthError(.invalidVerificationCode)
  }
}
