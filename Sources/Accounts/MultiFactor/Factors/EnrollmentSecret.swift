import FactorRecord
import Foundation
import Keyring
import OTP

/// The SDK's name for a secret that is being enrolled.
public typealias TOTPSecret = EnrollmentSecret

/// A secret that is being enrolled, for an authenticator app or a token.
///
/// It can be seen only now: once it is enrolled, no call reveals it. A web server keeps its ``token()`` until the user
/// has typed the first code, and recovers it with ``MultiFactorAuth/secret(from:for:)``.
public struct EnrollmentSecret: Sendable {
  let context: Context
  let content: Content

  /// The contents of its token.
  package struct Content: Sendable {
    let secret: FactorSecret
    /// The user who enrolls it.
    let userID: String
    /// The user's generation when it was generated. Once the user has a later one, it can no longer be enrolled.
    let generation: UInt64
    /// The name that the factor will have. Since no two factors have one name, a secret is one factor at a time.
    let uid: String
    /// The time from which it can no longer be enrolled.
    let expiry: Date

    var kind: FactorKind { secret.kind }

    /// The record of the factor that a code is to confirm.
    func record(at now: Date) -> FactorRecord {
      FactorRecord(.secret(secret), isPending: true, enrollmentMilliseconds: now.unixMilliseconds)
    }
  }

  init(context: Context, content: Content) { (self.context, self.content) = (context, content) }

  /// A new secret: SHA-1, six digits, 30 seconds or, for a token, counter 0.
  init(_ kind: FactorKind, for session: MultiFactorSession, _ timeStep: TimeStep = .standard) throws(AuthError) {
    context = session.context
    let (context, uid) = (context, session.uid)
    content = try context.reporting(uid) {
      try session.check(.enrollment)
      guard context.configuration.allows(kind) else { throw Refusal.disabled(kind) }
      let secret = try context.random.secretBytes(20).withBytes { try OTPSecret(bytes: $0) }
      return Content(
        secret: FactorSecret(isTimeBased: kind == .totp, secret: secret, timeStep: timeStep), userID: uid,
        generation: session.signIn.generation, uid: try context.random.hexName(byteCount: 16),
        expiry: session.signIn.expiry)
    }
  }

  /// The secret in base32, for a user who types it into an app. The text is not wiped.
  public func sharedSecretKey() -> String { content.secret.secret.base32String() }

  /// The `otpauth://` URI for a QR code, which contains the secret. The text is not wiped.
  ///
  /// - Parameters:
  ///   - accountName: What the app shows for the account.
  ///   - issuer: What the app shows for the service.
  ///
  /// The format does not allow a colon in either: it becomes a hyphen. An empty account name becomes `account`. Names
  /// are truncated if the URI would be longer than 2,048 bytes.
  public func generateQRCodeURL(withAccountName accountName: String, issuer: String) -> String {
    var (account, issuer) = (accountName, issuer)
    let secret = content.secret
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

  /// The secret as sealed, URL-safe text, valid until its session expires.
  ///
  /// - Throws: ``AuthError`` with code `internalError`.
  public func token() throws -> String {
    try context.token(content, for: .enrollmentToken)
  }

  /// Until when it can be enrolled: while its session is valid, provided that the user's handle still is.
  public var enrollmentCompletionDeadline: Date { content.expiry }
  /// How many digits a code has: 6.
  public var codeLength: Int { content.secret.digits.rawValue }
  /// The length of a step in seconds: 30. It says nothing of a token.
  public var codeIntervalSeconds: Int { Int(clamping: content.secret.timeStep.period) }
  /// The hash function's name: `SHA1`.
  public var hashingAlgorithm: String { content.secret.algorithm.name }
}

extension EnrollmentSecret: Redacted {}

extension EnrollmentSecret.Content: Sealable {
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
