import Foundation
import Keyring

/// One sign-in: what handles, sessions and resolvers have in common, and the contents of their tokens.
package struct SignIn: Sendable {
  var principal: Principal
  let firstFactor: FirstFactor
  let firstFactorDate: Date
  /// The second factor that was verified.
  package var proof: Proof?
  /// The user's generation when the sign-in started. Once the account has a later one, the sign-in is revoked.
  package let generation: UInt64
  /// When it expires.
  package var expiry: Date
  /// When the handle expires: the one that this sign-in is, or will be once completed.
  var end: Date
  /// What the host passed with the first factor, while a second one is awaited.
  var payload: [UInt8] = []

  package var userID: String { principal.id }

  /// The same sign-in, with another expiry.
  func expiring(at expiry: Date) -> SignIn {
    var signIn = self
    signIn.expiry = expiry
    return signIn
  }

  /// The sign-in of the resulting handle.
  func completed(with proof: Proof) -> SignIn {
    var signIn = expiring(at: end)
    signIn.proof = proof
    signIn.payload = []
    return signIn
  }

  var claims: UserClaims {
    UserClaims(
      subject: principal.id, email: principal.email, isEmailVerified: principal.isEmailVerified,
      authenticationDate: firstFactorDate, signInProvider: firstFactor.providerID,
      secondFactor: proof?.kind.rawValue, secondFactorIdentifier: proof?.uid, secondFactorDate: proof?.date)
  }
}

extension SignIn: Sealable {
  package func encode(to writer: inout ByteWriter) {
    writer.append(principal.id)
    writer.append(principal.email) { writer, email in writer.append(email) }
    writer.append(principal.isEmailVerified)
    writer.append(firstFactor.providerID)
    writer.append(firstFactorDate)
    writer.append(proof) { writer, proof in proof.encode(to: &writer) }
    writer.append(generation)
    writer.append(expiry)
    writer.append(end)
    writer.append(payload)
  }

  package init(from reader: inout ByteReader) throws(KeyringError) {
    principal = Principal(
      id: try reader.readString(),
      email: try reader.readOptional { (reader) throws(KeyringError) in try reader.readString() },
      isEmailVerified: try reader.readBool())
    firstFactor = FirstFactor(providerID: try reader.readString())
    firstFactorDate = try reader.readDate()
    proof = try reader.readOptional { (reader) throws(KeyringError) in try Proof(from: &reader) }
    generation = try reader.readUInt64()
    expiry = try reader.readDate()
    end = try reader.readDate()
    payload = try reader.readBytes()
  }
}
