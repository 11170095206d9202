import Keyring
import MultiFactor
import OTP

/// A code that was sent to a phone, as typed by the user, with its verification ID.
public struct PhoneAuthCredential: Sendable {
  let verificationID: String
  let verificationCode: String
}

extension PhoneAuthCredential: Redacted {}

/// Generates assertions for phone factors.
public enum PhoneMultiFactorGenerator {
  /// The claim that a code was received on a phone: for enrollment or for sign-in, whichever the message was requested
  /// for.
  public static func assertion(with credential: PhoneAuthCredential) -> MultiFactorAssertion {
    MultiFactorAssertion(
      factorID: PhoneMultiFactorID, challenge: credential.verificationID, response: credential.verificationCode)
  }
}

/// The contents of a verification ID.
struct PhoneVerification: Sealable {
  /// The challenge.
  let id: String
  let userID: String
  /// In a sign-in, the factor that the challenge is for.
  let factorUID: String?

  var purpose: Challenge.Purpose { Challenge.Purpose(factorUID: factorUID) }

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
