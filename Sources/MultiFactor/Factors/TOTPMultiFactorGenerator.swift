import Foundation
import OTP

/// Generates secrets and assertions for TOTP factors (RFC 6238).
public enum TOTPMultiFactorGenerator {
  /// Generates a new secret to enroll: SHA-1, six digits, 30 seconds, which every authenticator app supports.
  ///
  /// Nothing is stored until the enrollment is completed with a code.
  ///
  /// - Parameter session: A session from ``MultiFactorUser/session()``.
  /// - Throws: ``AuthError`` with code `operationNotAllowed`, `invalidMultiFactorSession`, `sessionExpired` or
  ///   `internalError`.
  public static func generateSecret(with session: MultiFactorSession) async throws -> TOTPSecret {
    TOTPSecret(context: session.context, content: try EnrollmentSecret.random(.totp, for: session))
  }

  /// The claim that a code from an authenticator app completes an enrollment.
  ///
  /// - Parameters:
  ///   - secret: The secret that the app was given.
  ///   - oneTimePassword: What the user typed: spaces, hyphens and digits of any script are understood.
  public static func assertionForEnrollment(
    with secret: TOTPSecret, oneTimePassword: String
  ) -> MultiFactorAssertion {
    MultiFactorAssertion(content: .enrollment(secret.content, code: oneTimePassword, secret.context))
  }

  /// The claim that a code belongs to an enrolled factor.
  ///
  /// - Parameters:
  ///   - enrollmentID: The `uid` of the factor that the user chose from the resolver's hints.
  ///   - oneTimePassword: What the user typed: spaces, hyphens and digits of any script are understood.
  public static func assertionForSignIn(
    withEnrollmentID enrollmentID: String, oneTimePassword: String
  ) -> MultiFactorAssertion {
    MultiFactorAssertion(content: .codes([oneTimePassword], count: 1...1, factor: enrollmentID, .totp))
  }

  /// The claim that two or three consecutive codes belong to a factor whose clock is off by more than the window: a
  /// hardware token that has drifted over the years. Its codes are searched for up to 1,500 steps either way (see
  /// `resynchronizationSteps` of `.totp`).
  ///
  /// The sign-in records the factor's drift, so that a single code is enough from then on. The SDK has no such
  /// assertion.
  ///
  /// - Parameters:
  ///   - enrollmentID: The `uid` of the factor.
  ///   - oneTimePasswords: Two or three consecutive, unused codes, in the order in which the token showed them,
  ///     submitted while it shows the last of them or a moment later.
  public static func assertionForResynchronization(
    withEnrollmentID enrollmentID: String, oneTimePasswords: [String]
  ) -> MultiFactorAssertion {
    MultiFactorAssertion(content: .codes(oneTimePasswords, count: 2...3, factor: enrollmentID, .totp))
  }
}

/// A secret that is being enrolled, for an authenticator app.
///
/// It can be seen only now: once it is enrolled, no call reveals it. A web server keeps its ``token()`` until the user
/// has typed the first code, and recovers it with ``MultiFactorAuth/totpSecret(from:for:)``.
public struct TOTPSecret: Sendable {
  let context: Context
  let content: EnrollmentSecret

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
    content.keyURI(account: accountName, issuer: issuer)
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
  /// The length of a step in seconds: 30.
  public var codeIntervalSeconds: Int { Int(clamping: content.secret.timeStep.period) }
  /// The hash function's name: `SHA1`.
  public var hashingAlgorithm: String { content.secret.algorithm.name }
}

extension TOTPSecret: Redacted {}
