import Foundation
import Keyring

/// Sends codes to phones.
public struct PhoneAuthProvider: Sendable {
  /// Whose sessions are taken; `nil` for anybody's.
  private let context: Context?

  /// The provider of a ``MultiFactorAuth``, which takes only that one's sessions.
  public static func provider(auth: MultiFactorAuth) -> PhoneAuthProvider { PhoneAuthProvider(context: auth.context) }

  /// The provider of whichever ``MultiFactorAuth`` a session is of: a process can have any number of those.
  public static func provider() -> PhoneAuthProvider { PhoneAuthProvider(context: nil) }

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
    let context = try check(session, .enrollment)
    let number = try PhoneNumber(phoneNumber)
    let (account, _) = try await context.account(admitting: session.signIn, expired: .sessionExpired)
    do {
      try account.checkRoom(for: .phone(number), atMost: context.configuration.maximumFactorCount)
    } catch {
      throw context.refused(error, session.uid)
    }
    return try await Dispatch(context: context).send(to: number, for: .enrollment, in: session, appCredential)
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
    let context = try check(session, .signIn)
    guard hint.factorID == PhoneMultiFactorID else { throw AuthError(.missingMultiFactorInfo) }
    guard Factor.isName(hint.uid) else { throw AuthError(.multiFactorInfoNotFound) }
    let (account, _) = try await context.account(admitting: session.signIn, expired: .sessionExpired)
    let factor = account.factors.first { $0.uid.hasBytes(of: hint.uid) }
    guard let factor, case .phone(let number) = factor.content else { throw AuthError(.multiFactorInfoNotFound) }
    return try await Dispatch(context: context).send(
      to: number, for: .signIn(factorUID: factor.uid), in: session, appCredential)
  }

  /// What the user typed, together with what it answers.
  ///
  /// - Parameters:
  ///   - verificationID: What ``verifyPhoneNumber(_:appCredential:multiFactorSession:)`` gave.
  ///   - verificationCode: What the user typed.
  public func credential(withVerificationID verificationID: String, verificationCode: String) -> PhoneAuthCredential {
    PhoneAuthCredential(verificationID: verificationID, verificationCode: verificationCode)
  }

  private func check(_ session: MultiFactorSession, _ kind: MultiFactorSession.Kind) throws(AuthError) -> Context {
    let context = session.context
    guard self.context == nil || self.context === context else { throw AuthError(.invalidMultiFactorSession) }
    try session.check(kind)
    guard context.configuration.phone != nil else { throw context.refused(.disabled(.phone), session.uid) }
    return context
  }
}

/// The way of one message.
private struct Dispatch {
  let context: Context

  /// Counts a message, keeps its challenge, hands it over, and only then lets the challenge be answered.
  func send(
    to number: PhoneNumber, for purpose: Challenge.Purpose, in session: MultiFactorSession, _ credential: AppCredential?
  ) async throws(AuthError) -> String {
    let (context, userID) = (context, session.uid)
    try await verifyApp(credential, userID)

    // A number for tests has a fixed code; nothing is sent, and nothing counts.
    let fixedCode = context.configuration.phone?.testCode(for: number)
    let drawn = try context.attempt(user: userID) { () throws(KeyringError) in try context.random.digits(6) }
    let code = fixedCode ?? drawn
    let id = try context.randomName(user: userID)
    let hash = try context.codeHash(of: code, challenge: id, userID: userID)
    let limits = fixedCode == nil ? context.configuration.sendLimits : nil
    let lifetime = context.configuration.phoneChallengeLifetime
    let clock = context.now()

    try await context.change(userID) { account throws(Refusal) in
      // No code is good for longer than the session that asked for it.
      let expiry = min(account.now(by: clock).addingTimeInterval(lifetime), session.signIn.expiry)
      let challenge = Challenge(id: id, purpose: purpose, number: number, codeHash: hash, expiry: expiry)
      try account.open(challenge, under: limits?.perUser, by: clock)
    }
    if let limits { try await count(number, under: limits, at: clock, userID) }
    if limits != nil { try await hand(SMSMessage(phoneNumber: number.e164, code: code), userID) }
    try await context.change(userID) { account throws(Refusal) in try account.activate(id, by: clock) }
    let factorUID: String? = if case .signIn(let uid) = purpose { uid } else { nil }
    return try context.token(PhoneVerification(id: id, userID: userID, factorUID: factorUID), for: .verificationID)
  }

  /// Counts a message, which the user's own limit has let through, to its number and in all: each in a document of its
  /// own. One that is refused is taken back wherever it was counted before, so that who is refused uses up nothing of
  /// others; where that fails, it stays counted.
  private func count(
    _ number: PhoneNumber, under limits: SendLimits, at clock: Date, _ userID: String
  ) async throws(AuthError) {
    let context = context
    let key = try numberKey(of: number)
    func count(_ key: DocumentKey, under limit: SendLimits.Limit) async throws(AuthError) {
      let (result, _) = try await context.change(key, user: userID) { (log: inout MessageLog) throws(Refusal) in
        try log.count(under: limit, by: clock)
      }
      do { try result.get() } catch { throw context.refused(error, userID) }
    }
    // In a task of its own: a client that hangs up ends this one.
    func takeBack(to number: Bool) async {
      await Task.detached {
        _ = try? await context.change(userID) { account in account.messages.takeBack() }
        guard number else { return }
        _ = try? await context.change(key, user: userID) { (log: inout MessageLog) in log.takeBack() }
      }.value
    }
    do { try await count(key, under: limits.perNumber) } catch {
      await takeBack(to: false)
      throw error
    }
    do { try await count(.messages, under: limits.overall) } catch {
      await takeBack(to: true)
      throw error
    }
  }

  private func numberKey(of number: PhoneNumber) throws(AuthError) -> DocumentKey {
    .number(try context.hash(Array(number.e164.utf8), for: .phoneNumberHash, boundTo: []))
  }

  private func verifyApp(_ credential: AppCredential?, _ userID: String) async throws(AuthError) {
    guard let verifier = context.appVerifier else { return }
    let isVerified: Bool
    do {
      isVerified = try await verifier.verify(credential, forUser: userID)
    } catch {
      context.events.record(.messageRefused, .appVerifier, user: userID, factorID: PhoneMultiFactorID)
      throw AuthError(.internalError, reason: .appVerifier)
    }
    guard isVerified else {
      context.events.record(.messageRefused, .appNotVerified, user: userID, factorID: PhoneMultiFactorID)
      throw AuthError(.appNotVerified)
    }
  }

  private func hand(_ message: SMSMessage, _ userID: String) async throws(AuthError) {
    do {
      guard let sender = context.smsSender else { throw AuthError(.operationNotAllowed) }
      try await sender.send(message)
    } catch {
      context.events.record(.messageRefused, .sender, user: userID, factorID: PhoneMultiFactorID)
      throw AuthError(.internalError, reason: .smsSender)
    }
    context.events.record(.messageSent, user: userID, factorID: PhoneMultiFactorID)
  }
}
