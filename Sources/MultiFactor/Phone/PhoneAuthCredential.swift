import Keyring
import OTP

/// A code that was sent to a phone, as the user typed it, and what it answers.
public struct PhoneAuthCredential: Sendable {
  let verificationID: String
  let verificationCode: String
}

extension PhoneAuthCredential: Redacted {}

/// Makes assertions of phone factors.
public enum PhoneMultiFactorGenerator {
  /// The claim that a code proves a phone: for enrolment or for sign-in, as the message was asked for.
  public static func assertion(with credential: PhoneAuthCredential) -> MultiFactorAssertion {
    MultiFactorAssertion(content: .phone(credential))
  }
}

/// What a verification ID carries.
struct PhoneVerification: Sealable {
  /// The challenge.
  let id: String
  let userID: String
  /// The factor that the challenge is for, in a sign-in.
  let factorUID: String?
  /// Whether the provider has made the code, and knows it.
  let isByProvider: Bool

  init(id: String, userID: String, factorUID: String?, isByProvider: Bool) {
    self.id = id
    self.userID = userID
    self.factorUID = factorUID
    self.isByProvider = isByProvider
  }

  /// How many digits a code has.
  var digits: ClosedRange<Int> { isByProvider ? 4...10 : 6...6 }

  func encode(to writer: inout ByteWriter) {
    writer.append(id)
    writer.append(userID)
    writer.append(factorUID) { writer, uid in writer.append(uid) }
    writer.append(isByProvider)
  }

  init(from reader: inout ByteReader) throws(KeyringError) {
    id = try reader.readString()
    userID = try reader.readString()
    factorUID = try reader.readOptional { (reader) throws(KeyringError) in try reader.readString() }
    isByProvider = try reader.readBool()
  }
}

extension PhoneAuthCredential {
  /// What the verification ID names, for the user whose it must be.
  func verification(of userID: String, _ context: Context) throws(AuthError) -> PhoneVerification {
    guard !verificationID.isEmpty else { throw AuthError(.missingVerificationID) }
    let verification: PhoneVerification = try context.value(
      of: verificationID, for: .verificationID, otherwise: .invalidVerificationID)
    guard verification.userID.hasBytes(of: userID) else { throw AuthError(.invalidVerificationID) }
    return verification
  }

  /// The keyed hash of a code; or, for one that only its provider knows, the question whether it is right.
  func answer(
    _ code: String, to verification: PhoneVerification, _ context: Context
  ) throws(AuthError) -> (hash: [UInt8]?, question: ProviderQuestion?) {
    guard verification.isByProvider else {
      return (try context.codeHash(of: code, challenge: verification.id, userID: verification.userID), nil)
    }
    guard let verifier = context.smsVerifier else { throw context.refused(.disabled(.phone), verification.userID) }
    return (
      nil,
      ProviderQuestion(verifier: verifier, code: code, verificationID: verificationID, verification: verification)
    )
  }
}

/// Whether a code is right that only its provider knows.
///
/// The provider cannot be asked within a transaction. So the attempt is counted in one before it is, and stays counted
/// unless the one that follows on its yes finds the challenge still there, and ends it.
struct ProviderQuestion: Sendable {
  fileprivate let verifier: any SMSVerifier
  fileprivate let code: String
  fileprivate let verificationID: String
  fileprivate let verification: PhoneVerification

  /// The name of the challenge that the code answers.
  var challengeID: String { verification.id }
  /// What the challenge is for.
  var purpose: Challenge.Purpose { verification.factorUID.map(Challenge.Purpose.signIn) ?? .enrollment }

  /// Takes one of the challenge's tries, or counts the attempt to sign in, durably; then asks the provider, and returns
  /// if it says yes.
  func ask(in signIn: SignIn, _ context: Context) async throws(AuthError) {
    let userID = verification.userID
    let (clock, configuration) = (context.now(), context.configuration)
    let challenge = try await context.change(signIn.userID) { account throws(Refusal) in
      try account.beginCheck(of: challengeID, for: purpose, in: signIn, by: clock, under: configuration)
    }
    let sent = SMSVerification(
      phoneNumber: challenge.number.e164, verificationID: verificationID, reference: challenge.reference)
    let isRight: Bool
    do { isRight = try await verifier.check(code, of: sent) } catch {
      let event: AuditEvent.Kind = purpose == .enrollment ? .enrollmentRefused : .codeRefused
      throw context.messageFailure(.smsSender, .sender, userID, event, factor: verification.factorUID)
    }
    guard isRight else { throw context.refused(.message(.wrong, for: purpose), userID) }
  }
}

extension Context {
  /// What is kept of a code that was sent.
  func codeHash(of code: String, challenge id: String, userID: String) throws(AuthError) -> [UInt8] {
    try hash(Array(code.utf8), for: .smsCodeHash, boundTo: [userID, id])
  }
}
