import OTP

/// Says whether a request for a text message comes from the host's own app, before anything is sent.
///
/// A ``MultiFactorAuth`` that has one sends nothing without its word. One that has none leaves that to the host.
public protocol AppVerifier: Sendable {
  /// Whether a request comes from the host's app.
  ///
  /// - Throws: Anything: nothing is sent, and the user gets `internalError` with the reason `appVerifier`.
  func verify(_ request: AppVerificationRequest) async throws -> AppVerdict
}

/// A request for a text message, as an ``AppVerifier`` gets it. Its description shows nothing of it.
public struct AppVerificationRequest: Sendable {
  /// The user for whom the message would be sent.
  public let userID: String
  /// The number to which it would be sent, in E.164.
  public let phoneNumber: String
  /// The client's network address, as the host has handed it in.
  public let clientAddress: String?
  /// What the app has sent along, or `nil` if it has sent nothing.
  public let credential: AppCredential?
}

extension AppVerificationRequest: Redacted {}

/// What an ``AppVerifier`` says of a request.
@nonexhaustive public enum AppVerdict: Sendable, Hashable {
  /// It comes from the host's app.
  case genuine
  /// It does not, by what was sent along or was not: the user gets `missingAppCredential`, `invalidAppCredential` for a
  /// receipt, or `captchaCheckFailed` for a token.
  case refused
  /// How sure it is, 0...1: at least ``SendLimits/leastAppScore`` is as good as ``genuine``, and with less the user
  /// gets `appNotVerified`.
  case score(Double)
}

/// What an app sends along to show that it is the host's.
@nonexhaustive public enum AppCredential: Sendable {
  /// What the app received by a silent push notification, and the secret that came with it.
  case pushReceipt(String, secret: String)
  /// A reCAPTCHA token, of the invisible or the visible kind, and of which version it is, if the app says.
  case recaptcha(String, version: String? = nil)
}

extension AppCredential: Redacted {}

extension Context {
  /// Asks the host's verifier, if it has one.
  func verifyApp(_ request: AppVerificationRequest) async throws(AuthError) {
    guard let appVerifier else { return }
    let verdict: AppVerdict
    do {
      verdict = try await appVerifier.verify(request)
    } catch {
      throw messageFailure(.appVerifier, .appVerifier, request.userID)
    }
    let code: AuthError.Code
    switch (verdict, request.credential) {
    case (.genuine, _): return
    case (.score(let score), _):
      if score >= configuration.sendLimits.leastAppScore { return }
      code = .appNotVerified
    case (.refused, nil): code = .missingAppCredential
    case (.refused, .pushReceipt): code = .invalidAppCredential
    case (.refused, .recaptcha): code = .captchaCheckFailed
    }
    throw refused(Refusal(code, .messageRefused, .appNotVerified, nil, .phone), request.userID)
  }
}
