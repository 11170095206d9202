import Foundation
import Keyring
import MultiFactor
import OTP

/// Sends codes to phones.
public struct PhoneAuthProvider: Sendable {
  /// The ``MultiFactorAuth`` that sessions must come from; `nil` if any will do.
  private let context: Context?

  /// The provider for a `MultiFactorAuth`, which accepts only its sessions.
  public static func provider(auth: MultiFactorAuth) -> PhoneAuthProvider { PhoneAuthProvider(context: auth.context) }

  /// The provider for whichever `MultiFactorAuth` a session comes from: a process can have several.
  public static func provider() -> PhoneAuthProvider { PhoneAuthProvider(context: nil) }

  /// Sends a code to a number that the user wants to enroll.
  ///
  /// Before anything is sent, the app is verified, if the host has a verifier, and the message is counted under
  /// ``SendLimits``. A new message replaces the user's earlier ones for the same purpose.
  ///
  /// - Parameters:
  ///   - phoneNumber: The number in E.164: `+`, country code and number, digits only.
  ///   - appCredential: What the app sent along, for the host's ``AppVerifier``.
  ///   - clientAddress: The client's network address, for the same.
  ///   - session: A session from `MultiFactorUser.session()`.
  /// - Returns: The verification ID, which must accompany the code, within five minutes by default.
  /// - Throws: `AuthError` with code `missingPhoneNumber`, `invalidPhoneNumber`, `secondFactorAlreadyEnrolled`,
  ///   `maximumSecondFactorCountExceeded`, `appNotVerified`, `missingAppCredential`, `invalidAppCredential`,
  ///   `captchaCheckFailed`, `quotaExceeded` with `retryAfter`, `operationNotAllowed`, also for a number outside the
  ///   allowed regions, `invalidMultiFactorSession`, `sessionExpired`, `userTokenExpired` or `internalError`.
  public func verifyPhoneNumber(
    _ phoneNumber: String, appCredential: AppCredential? = nil, clientAddress: String? = nil,
    multiFactorSession session: MultiFactorSession
  ) async throws -> String {
    let (factor, context) = try check(session, .enrollment)
    let number = try PhoneNumber(phoneNumber)
    let (account, _) = try await context.account(admitting: session.signIn, expired: .sessionExpired)
    try context.reporting(session.uid) {
      try account.checkRoom(
        for: .external(.phone, details: number.details), atMost: context.configuration.maximumFactorCount)
    }
    return try await Dispatch(factor: factor, context: context).send(
      to: number, for: .enrollment, in: session, appCredential, clientAddress)
  }

  /// Sends a code to an enrolled phone, during a sign-in.
  ///
  /// - Parameters:
  ///   - hint: The factor that the user chose from the resolver's hints.
  ///   - appCredential: What the app sent along, for the host's ``AppVerifier``.
  ///   - clientAddress: The client's network address, for the same.
  ///   - session: The resolver's session.
  /// - Returns: The verification ID, which must accompany the code, within five minutes by default.
  /// - Throws: `AuthError` with code `missingMultiFactorInfo` if the hint is not a phone; `multiFactorInfoNotFound`;
  ///   otherwise as ``verifyPhoneNumber(_:appCredential:clientAddress:multiFactorSession:)``.
  public func verifyPhoneNumber(
    with hint: any MultiFactorInfo, appCredential: AppCredential? = nil, clientAddress: String? = nil,
    multiFactorSession session: MultiFactorSession
  ) async throws -> String {
    let (phone, context) = try check(session, .signIn)
    guard hint.factorID == PhoneMultiFactorID else { throw AuthError(.missingMultiFactorInfo) }
    guard Factor.isName(hint.uid) else { throw AuthError(.multiFactorInfoNotFound) }
    let (account, _) = try await context.account(admitting: session.signIn, expired: .sessionExpired)
    let factor = account.factors.first { $0.uid.hasBytes(of: hint.uid) }
    guard let factor, let number = factor.number else { throw AuthError(.multiFactorInfoNotFound) }
    return try await Dispatch(factor: phone, context: context).send(
      to: number, for: .signIn(factorUID: factor.uid), in: session, appCredential, clientAddress)
  }

  /// The code that the user typed, with the verification ID that it answers.
  ///
  /// - Parameters:
  ///   - verificationID: The result of ``verifyPhoneNumber(_:appCredential:clientAddress:multiFactorSession:)``.
  ///   - verificationCode: What the user typed.
  public func credential(withVerificationID verificationID: String, verificationCode: String) -> PhoneAuthCredential {
    PhoneAuthCredential(verificationID: verificationID, verificationCode: verificationCode)
  }

  private func check(
    _ session: MultiFactorSession, _ kind: MultiFactorSession.Kind
  ) throws(AuthError) -> (PhoneFactor, Context) {
    let context = session.context
    guard self.context == nil || self.context === context else { throw AuthError(.invalidMultiFactorSession) }
    let factor = try context.reporting(session.uid) {
      try session.check(kind)
      guard context.configuration.settings(of: .phone) != nil,
        let factor = context.externalFactor(.phone) as? PhoneFactor
      else { throw Refusal.disabled(.phone) }
      return factor
    }
    return (factor, context)
  }
}

extension Factor {
  /// The number of a phone.
  var number: PhoneNumber? {
    if case .external(.phone, let details, _) = content { PhoneNumber(details: details) } else { nil }
  }
}

/// Sends one message.
private struct Dispatch {
  let factor: PhoneFactor
  let context: Context

  /// Counts a message, stores its challenge, hands the message over, and only then makes the challenge answerable.
  func send(
    to number: PhoneNumber, for purpose: Challenge.Purpose, in session: MultiFactorSession,
    _ credential: AppCredential?, _ clientAddress: String?
  ) async throws(AuthError) -> String {
    let (factor, context, userID) = (factor, context, session.uid)
    let limits = factor.limits
    // A test number has a fixed code; nothing is sent, and nothing counts.
    let fixedCode = factor.testCode(for: number, in: context)
    let isSent = fixedCode == nil
    if isSent, let regions = limits.regions, !number.isIn(regions) {
      throw context.events.refused(Refusal(.operationNotAllowed, .messageRefused, .region, nil, .phone), userID)
    }
    try await factor.verifyApp(
      AppVerificationRequest(
        userID: userID, phoneNumber: number.e164, clientAddress: clientAddress, credential: credential),
      in: context)
    let factorUID: String? = if case .signIn(let uid) = purpose { uid } else { nil }
    // The sign-in may have been revoked, or the number replaced, while the app was being verified.
    let rest = try await check(number, of: factorUID, in: session)

    let id = try context.randomName(user: userID)
    let drawn = try context.reporting(userID) { try context.random.digits(6) }
    let code = fixedCode ?? drawn
    let verificationID = try context.token(
      PhoneVerification(id: id, userID: userID, factorUID: factorUID), for: .verificationID)

    // Store the challenge and count the message for the user; then count it under the limits across users.
    let time = context.events.now()
    try await factor.change(userID, in: context) { document throws(Refusal) in
      // A code does not outlive the session that requested it, which ends by the account's time.
      let life = min(factor.challengeLifetime, rest)
      let challenge = Challenge(
        id: id, purpose: purpose, number: number, generation: session.signIn.generation,
        expiry: document.documentTime(at: time) + life, end: time + life)
      try document.open(challenge, under: isSent ? limits.perUser : nil, at: time)
    }
    var answer = Challenge.Answer.code(hash: try context.codeHash(of: code, challenge: id, userID: userID))
    if isSent {
      let budget = MessageBudget(
        factor: factor, context: context, userID: userID, number: number, isEnrollment: purpose == .enrollment)
      try await budget.count(for: id, at: time)
      do throws(AuthError) {
        let message = SMSMessage(phoneNumber: number.e164, code: code, verificationID: verificationID)
        if let reference = try await hand(message, userID) { answer = .provider(reference: reference) }
      } catch {
        await budget.withdraw(after: error)
        throw error
      }
    }

    // The message is on its way, even if the client has disconnected.
    try await uninterrupted { [answer] () throws(AuthError) in
      try await factor.change(userID, in: context) { document throws(Refusal) in
        try document.activate(id, with: answer, at: time)
      }
    }
    return verificationID
  }

  /// Checks that the session is still valid, and that a factor that it is to verify still has this number.
  ///
  /// - Returns: How long the session is valid.
  private func check(
    _ number: PhoneNumber, of factorUID: String?, in session: MultiFactorSession
  ) async throws(AuthError) -> TimeInterval {
    let (account, now) = try await context.account(admitting: session.signIn, expired: .sessionExpired)
    let rest = session.signIn.expiry.timeIntervalSince(now)
    guard let factorUID else { return rest }
    guard account.factors.first(where: { $0.uid.hasBytes(of: factorUID) })?.number == number else {
      throw context.events.refused(
        Refusal(.multiFactorInfoNotFound, .messageRefused, .notFound, factorUID, .phone), session.uid)
    }
    return rest
  }

  /// Hands a message to the host's sender, or to the provider that makes its own codes.
  ///
  /// - Returns: The provider's name for it.
  private func hand(_ message: SMSMessage, _ userID: String) async throws(AuthError) -> String? {
    var reference: String?
    do {
      switch factor.service {
      case .sender(let sender): try await sender.send(message)
      case .provider(let provider):
        let given = try await provider.send(
          SMSVerification(
            phoneNumber: message.phoneNumber, verificationID: message.verificationID, reference: nil))
        guard given.utf8.count <= SMSVerification.maximumReferenceByteCount else { throw AuthError(.internalError) }
        reference = given
      }
    } catch {
      throw context.events.refused(.serviceFailed(.sender, .messageRefused, .phone), userID)
    }
    context.events.record(.messageSent, user: userID, factorID: PhoneMultiFactorID)
    return reference
  }
}
