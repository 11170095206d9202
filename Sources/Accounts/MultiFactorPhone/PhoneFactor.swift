import Foundation
import Keyring
import MultiFactor
import OTP

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The `factorID` of codes by text message.
public let PhoneMultiFactorID = "phone"

extension FactorKind {
  static let phone = FactorKind(rawValue: PhoneMultiFactorID)
}

/// Codes by text message as a second factor: pass it to `MultiFactorAuth`, and enable `.phone()`.
///
/// The codes are made here and handed to a sender, or made, sent and checked by a provider. Either way a code is good
/// for one answer, within five minutes by default, and a challenge for five answers.
public struct PhoneFactor: ExternalFactor {
  enum Service: Sendable {
    /// Sends our codes.
    case sender(any SMSSender)
    /// Makes, sends and checks codes of its own.
    case provider(any SMSVerifier)
  }

  let service: Service
  let appVerifier: (any AppVerifier)?
  let limits: SendLimits
  let challengeLifetime: TimeInterval

  /// The highest lifetime of a code.
  public static let maximumChallengeLifetime = Duration.seconds(300)

  /// Always ``PhoneMultiFactorID``.
  public var factorID: String { PhoneMultiFactorID }

  /// Codes that are made here.
  ///
  /// - Parameters:
  ///   - sender: Sends text messages.
  ///   - appVerifier: Decides whether a request for a text message comes from the host's app; `nil` leaves that to the
  ///     host.
  ///   - limits: How many text messages are sent at most.
  ///   - challengeLifetime: How long a code is good for, more than 0 and at most ``maximumChallengeLifetime``.
  /// - Throws: `ConfigurationError` with `outOfRange`.
  public init(
    sender: any SMSSender, appVerifier: (any AppVerifier)? = nil, limits: SendLimits = .standard,
    challengeLifetime: Duration = maximumChallengeLifetime
  ) throws(ConfigurationError) {
    try self.init(.sender(sender), appVerifier, limits, challengeLifetime)
  }

  /// Codes that a provider makes, sends and checks itself.
  ///
  /// - Parameters:
  ///   - verifier: The provider.
  ///   - appVerifier: Decides whether a request for a text message comes from the host's app; `nil` leaves that to the
  ///     host.
  ///   - limits: How many text messages are sent at most.
  ///   - challengeLifetime: How long a code is good for, more than 0 and at most ``maximumChallengeLifetime``.
  /// - Throws: `ConfigurationError` with `outOfRange`.
  public init(
    verifier: any SMSVerifier, appVerifier: (any AppVerifier)? = nil, limits: SendLimits = .standard,
    challengeLifetime: Duration = maximumChallengeLifetime
  ) throws(ConfigurationError) {
    try self.init(.provider(verifier), appVerifier, limits, challengeLifetime)
  }

  private init(
    _ service: Service, _ appVerifier: (any AppVerifier)?, _ limits: SendLimits, _ challengeLifetime: Duration
  ) throws(ConfigurationError) {
    guard challengeLifetime > .zero, challengeLifetime <= Self.maximumChallengeLifetime else {
      throw .outOfRange("challengeLifetime")
    }
    self.service = service
    self.appVerifier = appVerifier
    self.limits = limits
    self.challengeLifetime = challengeLifetime / .seconds(1)
  }

  /// The factor of a verification ID, which must be for this user and a sign-in.
  public func factorUID(of answer: ExternalAnswer) throws(AuthError) -> String {
    let verification = try verification(of: answer)
    guard let uid = verification.factorUID else { throw AuthError(.invalidVerificationID) }
    guard try code(in: answer) != nil else {
      throw answer.session.context.events.refused(.code(.malformed, uid, .phone), answer.userID)
    }
    return uid
  }

  /// Takes one of a challenge's tries and checks the code, or asks the provider; a right one ends the challenge.
  public func verify(_ answer: ExternalAnswer, of factor: FactorInfo) async throws -> ExternalVerdict {
    try await check(answer, of: factor)
  }

  /// The same for a number that is not enrolled yet.
  public func enroll(_ answer: ExternalAnswer) async throws -> ExternalVerdict { try await check(answer, of: nil) }

  private func check(_ answer: ExternalAnswer, of factor: FactorInfo?) async throws -> ExternalVerdict {
    let (context, signIn) = (answer.session.context, answer.session.signIn)
    let verification = try verification(of: answer)
    guard let code = try code(in: answer) else { return .refused(.malformed) }
    let hash = try context.codeHash(of: code, challenge: verification.id, userID: signIn.userID)
    let time = context.events.now()
    let purpose = verification.purpose
    let outcome = try await change(signIn.userID, in: context) { document in
      document.answer(hash, to: verification.id, for: purpose, in: signIn.generation, at: time)
    }
    let number: PhoneNumber
    switch outcome {
    case .refused(let reason): return .refused(reason)
    case .right(let challenge): number = challenge.number
    case .asked(let challenge, let reference):
      guard case .provider(let provider) = service else { return .refused(.replayed) }
      let sent = SMSVerification(
        phoneNumber: challenge.number.e164, verificationID: answer.challenge, reference: reference)
      let isRight: Bool
      do { isRight = try await provider.check(code, of: sent) } catch {
        throw Refusal.serviceFailed(
          .sender, factor == nil ? .enrollmentRefused : .codeRefused, .phone, factor?.uid)
      }
      guard isRight else { return .refused(.wrong) }
      // An answer that the provider would accept twice is accepted once.
      let later = context.events.now()
      let refusal = try await change(signIn.userID, in: context) { document in
        document.end(verification.id, for: purpose, in: signIn.generation, at: later)
      }
      if let refusal { return .refused(refusal) }
      number = challenge.number
    }
    // The factor may have been replaced by one with another number since the message was sent.
    if let factor, PhoneNumber(details: factor.details) != number { return .refused(.notFound) }
    if factor == nil, testCode(for: number, in: context) == nil {
      let budget = MessageBudget(
        factor: self, context: context, userID: signIn.userID, number: number, isEnrollment: true)
      await budget.noteAnswer(at: time)
    }
    return .accepted(details: number.details)
  }

  /// With all digits of the number but the last four as `*` in a hint.
  public func info(of factor: FactorInfo, isHint: Bool) -> any MultiFactorInfo {
    let number = PhoneNumber(details: factor.details)
    return PhoneMultiFactorInfo(
      uid: factor.uid, displayName: factor.displayName, enrollmentDate: factor.enrollmentDate,
      phoneNumber: (isHint ? number?.masked : number?.e164) ?? "")
  }

  /// The code of a test number, or `nil` for any other number.
  func testCode(for number: PhoneNumber, in context: Context) -> String? {
    context.configuration.settings(of: .phone)?[number.e164]
  }

  /// Changes a user's challenges and messages.
  func change<R: Sendable>(
    _ userID: String, in context: Context,
    _ rule: @escaping @Sendable (inout PhoneDocument) throws(Refusal) -> R
  ) async throws(AuthError) -> R {
    try await context.change(.phone, of: userID) {
      [store = context.documents.store, challengeLifetime] (document: inout PhoneDocument) throws(Refusal) in
      if let date = store.lossDate { document.spendAll(until: date, lifetime: challengeLifetime) }
      return try rule(&document)
    }
  }

  /// The contents of a verification ID, if it is for the session's user and purpose.
  private func verification(of answer: ExternalAnswer) throws(AuthError) -> PhoneVerification {
    let session = answer.session
    guard !answer.challenge.isEmpty else { throw AuthError(.missingVerificationID) }
    let verification: PhoneVerification = try session.context.value(
      of: answer.challenge, for: .verificationID, otherwise: .invalidVerificationID)
    guard verification.userID.hasBytes(of: session.uid),
      (verification.factorUID == nil) == (session.state.kind == .enrollment)
    else { throw AuthError(.invalidVerificationID) }
    return verification
  }

  /// The digits of what was typed, or `nil` if that is not a code.
  private func code(in answer: ExternalAnswer) throws(AuthError) -> String? {
    let lengths = if case .provider = service { 4...10 } else { 6...6 }
    return try CodeText.digits(of: answer.response, lengths)
  }
}

extension Context {
  /// A keyed hash of something that belongs to a user, for a purpose.
  func hash(_ message: [UInt8], for purpose: Purpose, boundTo binding: [String]) throws(AuthError) -> [UInt8] {
    try reporting(binding.first) {
      try documents.keyring.hash(message, for: purpose, boundTo: binding)
    }
  }

  /// The keyed hash of a code that was sent, as stored.
  func codeHash(of code: String, challenge id: String, userID: String) throws(AuthError) -> [UInt8] {
    try hash(Array(code.utf8), for: .smsCodeHash, boundTo: [userID, id])
  }
}

extension Purpose {
  /// The name of a phone challenge, held by the client.
  static let verificationID = Purpose("verification ID")
  /// The hash of a phone number or its prefix, under which messages are counted.
  static let phoneNumberHash = Purpose("phone number hash")
  /// The hash of a code sent by text message.
  static let smsCodeHash = Purpose("SMS code hash")
}
