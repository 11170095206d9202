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

  init(id: String, userID: String, factorUID: String?) {
    self.id = id
    self.userID = userID
    self.factorUID = factorUID
  }

  func encode(to writer: inout ByteWriter) {
    writer.append(id)
    writer.append(userID)
    writer.append(factorUID) { writer, uid in writer.append(uid) }
  }

  init(from reader: inout ByteReader) throws(KeyringError) {
    id = try reader.readString()
    userID = try reader.readString()
    factorUID = try reader.readOptional { (reader) throws(KeyringError) in try reader.readString() }
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
}

extension Context {
  /// What is kept of a code that was sent.
  func codeHash(of code: String, challenge id: String, userID: String) throws(AuthError) -> [UInt8] {
    try hash(Array(code.utf8), for: .smsCodeHash, boundTo: [userID, id])
  }
}
