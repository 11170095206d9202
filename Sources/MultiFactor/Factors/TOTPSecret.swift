import Foundation
import OTP

/// A secret that is being enrolled, for an authenticator app.
///
/// This is the one moment at which it can be seen: once it is enrolled, no call gives it back. A web server keeps its
/// ``token`` until the user has typed the first code, and gets it back by ``MultiFactorAuth/totpSecret(from:for:)``.
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
  /// The format cannot carry a colon in either: it becomes a hyphen. An empty account name becomes `account`. What
  /// would make the URI longer than 2,048 bytes is cut off.
  public func generateQRCodeURL(withAccountName accountName: String, issuer: String) -> String {
    content.keyURI(account: accountName, issuer: issuer)
  }

  /// Hands a URI to the opener that the host gave to ``MultiFactorAuth``: to open the user's authenticator app with.
  ///
  /// - Parameter url: What ``generateQRCodeURL(withAccountName:issuer:)`` gave.
  /// - Returns: Whether the host gave one.
  @discardableResult
  public func openInOTPApp(withQRCodeURL url: String) -> Bool {
    context.urlOpener?(url)
    return context.urlOpener != nil
  }

  /// The secret as a text: sealed, URL-safe, good until the session that it was made with expires.
  ///
  /// - Throws: ``AuthError`` with code `internalError`.
  public var token: String {
    get throws { try context.token(content, for: .enrollmentToken) }
  }

  /// Until when it can be enrolled: as long as the session that it was made with is good, if the user's handle is too.
  public var enrollmentCompletionDeadline: Date { content.expiry }
  /// How many digits a code has: 6.
  public var codeLength: Int { content.secret.digits.rawValue }
  /// The length of a step in seconds: 30.
  public var codeIntervalSeconds: Int { Int(clamping: content.secret.timeStep.period) }
  /// The hash function's name: `SHA1`.
  public var hashingAlgorithm: String { content.secret.algorithm.name }
}

extension TOTPSecret: Redacted {}
