import OTP

/// Sends text messages: the host's way to its provider.
public protocol SMSSender: Sendable {
  /// Hands a message to the provider, and returns once the provider has taken it.
  ///
  /// - Throws: Anything: the challenge then never becomes active, and the user gets `internalError`.
  func send(_ message: SMSMessage) async throws
}

/// A text message with a code. Its description shows neither number nor code.
public struct SMSMessage: Sendable {
  /// The number to send it to, in E.164.
  public let phoneNumber: String
  /// The code, for a sender that has texts of its own.
  public let code: String
  /// A text to send.
  public var text: String { "\(code) is your verification code." }
}

extension SMSMessage: Redacted {}

/// Writes messages to standard output instead of sending them: for development alone.
public struct ConsoleSMSSender: SMSSender {
  /// A sender.
  public init() {}

  /// Prints the message.
  public func send(_ message: SMSMessage) async throws { print("SMS to \(message.phoneNumber): \(message.text)") }
}

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
