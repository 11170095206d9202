import MultiFactor
import OTP

/// Decides whether a request for a text message comes from the host's own app, before anything is sent.
///
/// A `MultiFactorAuth` with a verifier sends nothing without its approval. Without one, that is left to the host.
public protocol AppVerifier: Sendable {
  /// Whether a request comes from the host's app.
  ///
  /// - Throws: Any error: nothing is sent, and the user gets `internalError` with the reason `appVerifier`.
  func verify(_ request: AppVerificationRequest) async throws -> AppVerdict
}

/// A request for a text message, as passed to an ``AppVerifier``. Its description shows none of its contents.
public struct AppVerificationRequest: Sendable {
  /// The user for whom the message would be sent.
  public let userID: String
  /// The number to which it would be sent, in E.164.
  public let phoneNumber: String
  /// The client's network address, as passed by the host.
  public let clientAddress: String?
  /// The credential that the app has sent along, if any.
  public let credential: AppCredential?
}

extension AppVerificationRequest: Redacted {}

/// An ``AppVerifier``'s verdict on a request.
@nonexhaustive public enum AppVerdict: Sendable, Hashable {
  /// The request comes from the host's app.
  case genuine
  /// The request does not come from the host's app. The user gets `missingAppCredential` if nothing was sent along,
  /// `invalidAppCredential` for a receipt, or `captchaCheckFailed` for a token.
  case refused
  /// How likely the request comes from the host's app, 0...1:
  /// ``SendLimits/minimumAppScore`` or more counts as ``genuine``; with less, the user gets `appNotVerified`.
  case score(Double)
}

/// What an app sends along to show that it is the host's.
@nonexhaustive public enum AppCredential: Sendable {
  /// The receipt that the app received by a silent push notification, and the secret that came with it.
  case pushReceipt(String, secret: String)
  /// A reCAPTCHA token, invisible or visible, and its version, if the app sends one.
  case recaptcha(String, version: String? = nil)
}

extension AppCredential: Redacted {}

extension PhoneFactor {
  /// Asks the host's verifier, if it has one.
  func verifyApp(_ request: AppVerificationRequest, in context: Context) async throws(AuthError) {
    guard let appVerifier else { return }
    let verdict: AppVerdict
    do {
      verdict = try await appVerifier.verify(request)
    } catch {
      throw context.events.refused(.serviceFailed(.appVerifier, .messageRefused, .phone), request.userID)
    }
    let code: AuthError.Code
    switch (verdict, request.credential) {
    case (.genuine, _): return
    case (.score(let score), _):
      if score >= limits.minimumAppScore { return }
      code = .appNotVerified
    case (.refused, nil): code = .missingAppCredential
    case (.refused, .pushReceipt): code = .invalidAppCredential
    case (.refused, .recaptcha): code = .captchaCheckFailed
    }
    throw context.events.refused(Refusal(code, .messageRefused, .appNotVerified, nil, .phone), request.userID)
  }
}
