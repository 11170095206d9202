import OTP

/// A secret that is being enrolled, for a token whose codes go by counter.
///
/// As for a ``TOTPSecret``, this is the one moment at which it can be seen.
public struct HOTPSecret: Sendable {
  let content: EnrollmentSecret

  /// The secret in base32. The text is not wiped.
  public func sharedSecretKey() -> String { content.secret.secret.base32String() }

  /// The `otpauth://` URI for a QR code: see ``TOTPSecret/generateQRCodeURL(withAccountName:issuer:)``.
  public func generateQRCodeURL(withAccountName accountName: String, issuer: String) -> String {
    content.keyURI(account: accountName, issuer: issuer)
  }

  /// The secret as a text: sealed, URL-safe, good until the session that it was made with expires.
  ///
  /// - Throws: ``AuthError`` with code `internalError`.
  public var token: String {
    get throws { try content.token(for: .totpSecretToken) }
  }
}

extension HOTPSecret: Redacted {}
