import Foundation
import OTP

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

  /// Passes a URI to ``MultiFactorHandlers/openURL``, to open the user's authenticator app.
  ///
  /// - Parameter url: The result of ``generateQRCodeURL(withAccountName:issuer:)``.
  /// - Returns: Whether the host has such a handler.
  @discardableResult
  public func openInOTPApp(withQRCodeURL url: String) -> Bool {
    context.handlers.openURL?(url)
    return context.handlers.openURL != nil
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
