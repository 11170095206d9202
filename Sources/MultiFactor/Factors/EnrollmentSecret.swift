import FactorRecord
import Foundation
import Keyring
import OTP

/// A secret of either kind that is being enrolled: the content of ``TOTPSecret`` and ``HOTPSecret``.
package struct EnrollmentSecret: Sendable {
  let secret: FactorSecret
  /// The user who enrolls it.
  let userID: String
  /// The user's generation when it was generated. Once the user has a later one, it can no longer be enrolled.
  let generation: UInt64
  /// The name that the factor will have. Since no two factors have one name, a secret is one factor at a time.
  let uid: String
  /// The time from which it can no longer be enrolled.
  let expiry: Date

  /// A new secret: SHA-1, six digits, 30 seconds.
  static func random(_ kind: FactorKind, for session: MultiFactorSession) throws(AuthError) -> EnrollmentSecret {
    let context = session.context
    try session.check(.enrollment)
    guard context.configuration.allows(kind) else { throw context.refused(.disabled(kind), session.uid) }
    let secret = try context.reportingFailures(of: session.uid) { () throws(KeyringError) in
      let bytes = try context.random.secretBytes(20)
      guard let secret = try? bytes.withBytes({ try OTPSecret(bytes: $0) }) else {
        throw KeyringError(.randomnessUnavailable)
      }
      return FactorSecret(isTimeBased: kind == .totp, secret: secret)
    }
    return EnrollmentSecret(
      secret: secret, userID: session.uid, generation: session.signIn.generation,
      uid: try context.randomName(user: session.uid), expiry: session.signIn.expiry)
  }

  /// The record of the factor that a code is to confirm.
  func record(at now: Date) -> FactorRecord {
    FactorRecord(.secret(secret), isPending: true, enrollmentMilliseconds: now.unixMilliseconds)
  }

  /// The URI for a QR code, valid whatever the names.
  func keyURI(account: String, issuer: String) -> String {
    var account = account
    var issuer = issuer
    while true {
      let kind: OTPAuthURI.Kind = secret.kind == .hotp ? .hotp(counter: 0) : .totp(period: secret.timeStep.period)
      if let uri = try? OTPAuthURI(
        kind, secret: secret.secret, issuer: Self.label(issuer, default: ""),
        account: Self.label(account, default: "account"), algorithm: secret.algorithm, digits: secret.digits)
      {
        return uri.uriString()
      }
      // Too long: halve both names until it fits. Without them, a URI has a few dozen bytes.
      account = String(account.prefix(account.count / 2))
      issuer = String(issuer.prefix(issuer.count / 2))
    }
  }

  /// A name made fit for a label. Scalar by scalar, because to a parser a colon with a combining mark is a colon.
  private static func label(_ text: String, default: String) -> String {
    var name = ""
    for scalar in text.unicodeScalars.prefix(1024).drop(while: { $0 == " " }) {
      name.unicodeScalars.append(scalar == ":" ? "-" : scalar)
    }
    return name.isEmpty ? `default` : name
  }
}

// The content of an enrollment token.
extension EnrollmentSecret: Sealable {
  package func encode(to writer: inout ByteWriter) {
    writer.append(userID)
    writer.append(generation)
    writer.append(uid)
    writer.append(expiry)
    writer.append(secret.kind == .hotp)
    secret.encode(to: &writer)
  }

  package init(from reader: inout ByteReader) throws(KeyringError) {
    userID = try reader.readString()
    generation = try reader.readUInt64()
    uid = try reader.readString()
    expiry = try reader.readDate()
    secret = try FactorSecret(isTimeBased: !(try reader.readBool()), from: &reader)
  }
}
