/// Says whether a request for a text message comes from the host's own app, before anything is sent.
///
/// A ``MultiFactorAuth`` that has one sends nothing without its word. One that has none leaves that to the host.
public protocol AppVerifier: Sendable {
  /// Whether a credential shows that the request comes from the host's app.
  ///
  /// - Parameters:
  ///   - credential: What the app sent along, or `nil` where it sent nothing.
  ///   - userID: The user for whom the message would be sent.
  /// - Throws: Anything: nothing is sent, and the user gets `internalError`.
  func verify(_ credential: AppCredential?, forUser userID: String) async throws -> Bool
}

/// What an app sends along to show that it is the host's.
@nonexhaustive public enum AppCredential: Sendable {
  /// What the app received by a silent push notification.
  case pushReceipt(String)
  /// A reCAPTCHA token, of the invisible or the visible kind.
  case recaptcha(String)
}

extension AppCredential: Redacted {}
