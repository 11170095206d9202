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
    guard enrollment.generation == state.generation else { throw auth.revoked(state) }
    let length = enrollment.secret.digits.rawValue
    let text = try canonicalCode(text, length, enrollment.uid, kind.factorID)
    guard let code = try? SubmittedCode(text, digits: enrollment.secret.digits) else {
      throw refused(.malformed, enrollment.uid, kind.factorID)
    }

    let now = auth.now()
    let position: UInt64
    switch try check(code, against: enrollment.secret, at: now) {
    case .accepted(let accepted, _): position = accepted
    case .refused(let reason): throw refused(reason, enrollment.uid, kind.factorID)
    }
    let record = FactorRecord(
      userID: userID, uid: enrollment.uid, kind: kind, displayName: displayName, enrollmentDate: now,
      sealed: try enrollment.secret.sealed(by: auth.sealer, userID: userID, uid: enrollment.uid),
      uniqueKey: try auth.sealer.uniqueKey(of: enrollment.secret.secret, userID: userID),
      lastAccepted: position)
    try await store(record, challengeID: nil, account)
    return SignInState.SecondFactorProof(uid: record.uid, factorID: kind.factorID, date: now)
  }

  /// Checks a first code. The step or counter that it is of is accepted with the enrolment, and never again.
  private func check(
    _ code: SubmittedCode, against secret: FactorSecret, at now: Date
  ) throws(AuthError) -> CodeCheck.Result {
    do {
      return try CodeCheck(configuration: auth.configuration, now: now).check(code, against: secret)
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
    let code = try canonicalCode(credential.verificationCode, 6, nil, factorID)
    // Before the attempt: a challenge that is not there any more takes as long as one that is.
    let hash = try auth.sealer.codeHash(of: code, challengeID: id, userID: userID)

    let now = auth.now()
    let challenge = try await reserve(challenge: id, at: now)
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

  /// What was typed as ASCII digits.
  private func canonicalCode(
    _ text: String, _ length: Int, _ uid: String?, _ factorID: String
  ) throws(AuthError) -> String {
    do { return try CodeText.digits(of: text, length...length) } catch {
      throw error.code == .missingVerificationCode ? error : refused(.malformed, uid, factorID)
    }
  }

  private func reserve(challenge id: String, at now: Date) async throws(AuthError) -> ChallengeRecord {
    let outcome = try await auth.withStore(user: userID) { store in
      try await store.reserveAttempt(
        on: .enrollmentChallenge(id: id), of: userID, at: now, under: auth.configuration.attemptPolicy,
        ifGeneration: state.generation)
    }
    switch outcome {
    case .revoked: throw auth.revoked(state)
    case .reserved(let reservation):
      guard let challenge = reservation.challenge, challenge.id == id, challenge.userID.hasBytes(of: userID) else {
        throw auth.failed(.store, userID)
      }
      return challenge
    case .refused(let retryAfter): throw auth.tooMany(retryAfter, userID, nil, PhoneMultiFactorID)
    case .notFound, .challengeNotFound: throw refused(.replayed, nil, PhoneMultiFactorID)
    case .challengeExpired: throw refused(.late, nil, PhoneMultiFactorID)
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
