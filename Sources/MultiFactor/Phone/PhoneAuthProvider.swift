import Foundation

/// Sends codes to phones.
public struct PhoneAuthProvider: Sendable {
  private let auth: MultiFactorAuth

  /// The provider of a ``MultiFactorAuth``.
  public static func provider(auth: MultiFactorAuth) -> PhoneAuthProvider { PhoneAuthProvider(auth: auth) }

  /// Sends a code to a number that the user wants to enrol.
  ///
  /// Before anything is sent: the app is verified, where the host has a verifier, and the limits on messages to the
  /// number, for the user and overall are checked and counted. A new message takes the place of the user's earlier ones
  /// for the same purpose.
  ///
  /// - Parameters:
  ///   - phoneNumber: The number in E.164: `+`, country code, number, digits alone.
  ///   - appCredential: What the app sent along, for the host's ``AppVerifier``.
  ///   - session: A session from ``MultiFactorUser/session()``.
  /// - Returns: The verification ID: what the code is to be given together with, within five minutes.
  /// - Throws: ``AuthError`` with code `missingPhoneNumber`, `invalidPhoneNumber`, `secondFactorAlreadyEnrolled`,
  ///   `maximumSecondFactorCountExceeded`, `appNotVerified`, `quotaExceeded` and `retryAfter`, `operationNotAllowed`,
  ///   `invalidMultiFactorSession`, `sessionExpired`, `userTokenExpired` or `internalError`.
  public func verifyPhoneNumber(
    _ phoneNumber: String, appCredential: AppCredential? = nil, multiFactorSession session: MultiFactorSession
  ) async throws -> String {
    try auth.check(session, .enrollment)
    let state = session.state
    _ = try settings(for: state)
    let number = try PhoneNumber(phoneNumber)

    let account = try await auth.currentAccount(of: state)
    let key = try auth.sealer.uniqueKey(of: number, userID: state.userID)
    guard !account.factors.contains(where: { $0.uniqueKey == key }) else {
      throw auth.refusedEnrollment(.secondFactorAlreadyEnrolled, .duplicate, state, PhoneMultiFactorID)
    }
    guard account.factors.count < auth.configuration.maximumFactorCount else {
      throw auth.refusedEnrollment(.maximumSecondFactorCountExceeded, .tooMany, state, PhoneMultiFactorID)
    }
    return try await send(to: number, for: .enrollment, state, appCredential)
  }

  /// Sends a code to an enrolled phone, in a sign-in under way.
  ///
  /// - Parameters:
  ///   - hint: The factor that the user chose from the resolver's hints.
  ///   - appCredential: What the app sent along, for the host's ``AppVerifier``.
  ///   - session: The resolver's session.
  /// - Returns: The verification ID: what the code is to be given together with, within five minutes.
  /// - Throws: ``AuthError`` with code `missingMultiFactorInfo` where the hint is no phone; `multiFactorInfoNotFound`;
  ///   else as ``verifyPhoneNumber(_:appCredential:multiFactorSession:)``.
  public func verifyPhoneNumber(
    with hint: any MultiFactorInfo, appCredential: AppCredential? = nil, multiFactorSession session: MultiFactorSession
  ) async throws -> String {
    try auth.check(session, .signIn)
    let state = session.state
    _ = try settings(for: state)
    guard hint.factorID == PhoneMultiFactorID else { throw AuthError(.missingMultiFactorInfo) }
    let account = try await auth.currentAccount(of: state)
    guard let factor = account.factors.first(where: { $0.uid.hasBytes(of: hint.uid) && $0.kind == .phone }) else {
      throw AuthError(.multiFactorInfoNotFound)
    }
    let (number, isByActiveKey) = try auth.sealer.phoneNumber(of: factor)
    if !isByActiveKey { await auth.resealInPassing(factor) }
    return try await send(to: number, for: .signIn(factorUID: factor.uid), state, appCredential)
  }

  /// What the user typed, together with what it answers.
  ///
  /// - Parameters:
  ///   - verificationID: What ``verifyPhoneNumber(_:appCredential:multiFactorSession:)`` gave.
  ///   - verificationCode: What the user typed.
  public func credential(withVerificationID verificationID: String, verificationCode: String) -> PhoneAuthCredential {
    PhoneAuthCredential(verificationID: verificationID, verificationCode: verificationCode)
  }

  private func settings(for state: SignInState) throws(AuthError) -> MultiFactorConfiguration.PhoneProvider {
    guard let provider = auth.configuration.phone else { throw auth.disabled(PhoneMultiFactorID, state) }
    return provider
  }

  private func send(
    to number: PhoneNumber, for purpose: ChallengeRecord.Purpose, _ state: SignInState, _ credential: AppCredential?
  ) async throws(AuthError) -> String {
    let userID = state.userID
    try await verifyApp(credential, userID)

    // A number for tests has a fixed code; nothing is sent, and nothing counts.
    let fixedCode = try settings(for: state).testCode(for: number)
    let code = if let fixedCode { fixedCode } else { try auth.sealer.randomDigits(6) }
    let now = auth.now()
    let id = try auth.sealer.randomName()
    let challenge = ChallengeRecord(
      id: id, userID: userID, purpose: purpose, numberKey: try auth.sealer.numberKey(of: number),
      sealedNumber: try auth.sealer.seal(number, for: .challengeNumber, boundTo: [userID, id]),
      codeHash: try auth.sealer.codeHash(of: code, challengeID: id, userID: userID),
      expiry: now.addingTimeInterval(auth.configuration.phoneChallengeLifetime))
    let limits = fixedCode == nil ? auth.configuration.sendLimits : nil
    let outcome = try await auth.withStore(user: userID) { store in
      try await store.openChallenge(challenge, under: limits, at: now)
    }
    if case .refused(let retryAfter) = outcome {
      auth.events.record(.messageRefused, .quota, user: userID, factorID: PhoneMultiFactorID)
      throw AuthError(.quotaExceeded, retryAfter: retryAfter)
    }
    if fixedCode == nil { try await hand(SMSMessage(phoneNumber: number.e164, code: code), userID) }
    // Only now is the code good for anything: a sender that fails leaves no live challenge.
    let isActive = try await auth.withStore(user: userID) { store in
      try await store.activateChallenge(id, of: userID)
    }
    guard isActive else { throw auth.failed(.store, userID) }
    return try auth.sealer.verificationID(of: challenge)
  }

  private func verifyApp(_ credential: AppCredential?, _ userID: String) async throws(AuthError) {
    guard let verifier = auth.appVerifier else { return }
    let isVerified: Bool
    do {
      isVerified = try await verifier.verify(credential, forUser: userID)
    } catch {
      auth.events.record(.messageRefused, .appVerifier, user: userID, factorID: PhoneMultiFactorID)
      throw AuthError(.internalError, reason: .appVerifier)
    }
    guard isVerified else {
      auth.events.record(.messageRefused, .appNotVerified, user: userID, factorID: PhoneMultiFactorID)
      throw AuthError(.appNotVerified)
    }
  }

  private func hand(_ message: SMSMessage, _ userID: String) async throws(AuthError) {
    do {
      guard let sender = auth.smsSender else { throw AuthError(.operationNotAllowed) }
      try await sender.send(message)
    } catch {
      auth.events.record(.messageRefused, .sender, user: userID, factorID: PhoneMultiFactorID)
      throw AuthError(.internalError, reason: .smsSender)
    }
    auth.events.record(.messageSent, user: userID, factorID: PhoneMultiFactorID)
  }
}
