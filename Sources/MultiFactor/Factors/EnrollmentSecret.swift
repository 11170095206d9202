import Foundation
import OTP

/// A secret that is being enrolled, of either kind: what ``TOTPSecret`` and ``HOTPSecret`` are made of.
struct EnrollmentSecret: Sendable {
  let auth: MultiFactorAuth
  let secret: FactorSecret
  /// The user who enrols it.
  let userID: String
  /// The user's generation when it was made. Once the user has a later one, it cannot be enrolled any more.
  let generation: UInt64
  /// The name that the factor will have. Since no name is ever used again, one secret cannot be enrolled twice.
  let uid: String
  /// From when on it cannot be enrolled any more.
  let expiry: Date

  /// A new secret: SHA-1, six digits, 30 seconds.
  static func random(_ kind: FactorRecord.Kind, for session: MultiFactorSession) throws(AuthError) -> EnrollmentSecret {
    let auth = session.auth
    let secret = try auth.sealer.randomSecret()
    return EnrollmentSecret(
      auth: auth,
      secret: FactorSecret(kind: kind, secret: secret, algorithm: .sha1, digits: .six, period: 30, t0: 0),
      userID: session.state.userID, generation: session.state.generation, uid: try auth.sealer.randomName(),
      expiry: session.state.expiry)
  }

  /// The URI for a QR code. It always is one, whatever the names.
  func keyURI(account: String, issuer: String) -> String {
    var account = account
    var issuer = issuer
    while true {
      let kind: OTPAuthURI.Kind = secret.kind == .hotp ? .hotp(counter: 0) : .totp(period: secret.period)
      if let uri = try? OTPAuthURI(
        kind, secret: secret.secret, issuer: Self.label(issuer, default: ""),
        account: Self.label(account, default: "account"), algorithm: secret.algorithm, digits: secret.digits)
      {
        return uri.uriString()
      }
      // Too long: both names are halved until it is not. A URI with neither has a few dozen bytes.
      account = String(account.prefix(account.count / 2))
      issuer = String(issuer.prefix(issuer.count / 2))
    }
  }

  /// A name that a label can carry. Scalar by scalar: a colon with a combining mark is a colon to whoever parses.
  private static func label(_ text: String, default: String) -> String {
    var name = ""
    for scalar in text.unicodeScalars.prefix(1024).drop(while: { $0 == " " }) {
      name.unicodeScalars.append(scalar == ":" ? "-" : scalar)
    }
    return name.isEmpty ? `default` : name
  }
}

extension EnrollmentSecret {
  /// The token: what is needed to go on, the secret sealed in it as it will be stored.
  func token(for purpose: SealPurpose) throws(AuthError) -> String {
    let payload = EnrollmentPayload(
      userID: userID, generation: generation, uid: uid, expiry: expiry,
      sealed: try secret.sealed(by: auth.sealer, userID: userID, uid: uid))
    var writer = ByteWriter()
    payload.encode(to: &writer)
    return try auth.sealer.token(writer.finish(), for: purpose)
  }

  /// Reads what ``token(for:)`` writes.
  init(auth: MultiFactorAuth, token: String) throws(AuthError) {
    var reader = ByteReader(
      try auth.sealer.payload(of: token, for: .totpSecretToken, otherwise: .invalidMultiFactorSession))
    let fields: EnrollmentPayload
    do {
      fields = try EnrollmentPayload(from: &reader)
      try reader.finish()
    } catch {
      throw AuthError(.invalidMultiFactorSession)
    }
    try auth.check(expiry: fields.expiry, of: fields.userID)
    let opened = try FactorSecret.opened(
      fields.sealed, by: auth.sealer, userID: fields.userID, uid: fields.uid)
    self.init(
      auth: auth, secret: opened.secret, userID: fields.userID, generation: fields.generation, uid: fields.uid,
      expiry: fields.expiry)
  }
}
