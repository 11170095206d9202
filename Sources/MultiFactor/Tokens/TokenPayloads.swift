import Foundation
import OTP

// What the tokens carry that are not a sign-in's: each written and read in one place.

/// What the token of a secret being enrolled carries.
struct EnrollmentPayload {
  let userID: String
  let generation: UInt64
  let uid: String
  let expiry: Date
  /// The secret, sealed as it will be stored.
  let sealed: [UInt8]

  func encode(to writer: inout ByteWriter) {
    writer.append(userID)
    writer.append(generation)
    writer.append(uid)
    writer.append(expiry)
    writer.append(sealed)
  }
}

extension EnrollmentPayload {
  init(from reader: inout ByteReader) throws(KeyringError) {
    userID = try reader.readString()
    generation = try reader.readUInt64()
    uid = try reader.readString()
    expiry = try reader.readDate()
    sealed = try reader.readBytes()
  }
}

/// What a verification ID carries.
struct VerificationPayload {
  /// The challenge.
  let id: String
  let userID: String
  /// The factor that the challenge is for, in a sign-in.
  let factorUID: String?

  func encode(to writer: inout ByteWriter) {
    writer.append(id)
    writer.append(userID)
    writer.append(factorUID) { writer, uid in writer.append(uid) }
  }
}

extension VerificationPayload {
  init(from reader: inout ByteReader) throws(KeyringError) {
    id = try reader.readString()
    userID = try reader.readString()
    factorUID = try reader.readOptional { (reader) throws(KeyringError) in try reader.readString() }
  }
}
