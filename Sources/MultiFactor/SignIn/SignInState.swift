import Foundation

/// What is known of one sign-in: what a handle, a session and a resolver have in common, and what their tokens carry.
struct SignInState: Sendable {
  /// A second factor that was proved.
  struct SecondFactorProof: Sendable {
    let uid: String
    let factorID: String
    let date: Date
  }

  let principal: Principal
  let firstFactor: FirstFactor
  let firstFactorDate: Date
  var secondFactor: SecondFactorProof?
  /// The user's generation when the sign-in began. Once the store has a later one, it is revoked.
  let generation: UInt64
  /// From when on it is good for nothing.
  let expiry: Date

  var userID: String { principal.id }

  /// The same sign-in, with another expiry.
  func expiring(at expiry: Date) -> SignInState {
    SignInState(
      principal: principal, firstFactor: firstFactor, firstFactorDate: firstFactorDate, secondFactor: secondFactor,
      generation: generation, expiry: expiry)
  }

  /// Whether the first factor was proved so recently. A clock that was set back does not prolong that.
  func hasRecentFirstFactor(at now: Date, within interval: TimeInterval) -> Bool {
    abs(now.timeIntervalSince(firstFactorDate)) <= interval
  }

  var claims: UserClaims {
    UserClaims(
      subject: principal.id, email: principal.email, isEmailVerified: principal.isEmailVerified,
      authenticationDate: firstFactorDate, signInProvider: firstFactor.providerID,
      secondFactor: secondFactor?.factorID, secondFactorIdentifier: secondFactor?.uid,
      secondFactorDate: secondFactor?.date)
  }
}

extension SignInState {
  /// Writes it as the payload of a token.
  func encode(to writer: inout ByteWriter) {
    writer.append(principal.id)
    writer.append(principal.email) { writer, email in writer.append(email) }
    writer.append(principal.isEmailVerified)
    writer.append(firstFactor.providerID)
    writer.append(firstFactorDate)
    writer.append(secondFactor) { writer, proof in
      writer.append(proof.uid)
      writer.append(proof.factorID)
      writer.append(proof.date)
    }
    writer.append(generation)
    writer.append(expiry)
  }

  /// Reads what ``encode(to:)`` writes.
  init(from reader: inout ByteReader) throws(KeyringError) {
    principal = Principal(
      id: try reader.readString(),
      email: try reader.readOptional { (reader) throws(KeyringError) in try reader.readString() },
      isEmailVerified: try reader.readBool())
    firstFactor = FirstFactor(providerID: try reader.readString())
    firstFactorDate = try reader.readDate()
    secondFactor = try reader.readOptional { (reader) throws(KeyringError) in
      SecondFactorProof(uid: try reader.readString(), factorID: try reader.readString(), date: try reader.readDate())
    }
    generation = try reader.readUInt64()
    expiry = try reader.readDate()
  }
}
