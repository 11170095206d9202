import OTP

/// Sends text messages through the host's provider.
public protocol SMSSender: Sendable {
  /// Hands a message over to the provider, and returns once the provider has accepted it.
  ///
  /// - Throws: Any error: the challenge never becomes active, the message does not count against the number, and the
  ///   user gets `internalError`, with the reason `cancelled` if the client has disconnected, otherwise `sender`.
  func send(_ message: SMSMessage) async throws
}

/// A text message with a code. Its description shows neither number nor code.
public struct SMSMessage: Sendable {
  /// The number to send it to, in E.164.
  public let phoneNumber: String
  /// The code, for a sender with its own texts.
  public let code: String
  /// The ID with which the client answers it.
  public let verificationID: String
  /// A text to send, in English, with the code.
  public var text: String { "\(code) is your verification code." }
}

extension SMSMessage: Redacted {}

/// Writes messages to standard output instead of sending them: only for development.
public struct ConsoleSMSSender: SMSSender {
  /// A sender, which needs no settings.
  public init() {}

  /// Prints the message, with its code.
  public func send(_ message: SMSMessage) async throws { print("SMS to \(message.phoneNumber): \(message.text)") }
}

/// A provider that generates, sends and checks codes itself, so that only it knows them.
///
/// An answer is counted in one transaction before the provider is asked, and the challenge is ended in another after it
/// has said yes: guesses are bounded as with our own codes, and an answer that the provider would accept twice is
/// accepted once. If the provider throws, or the process ends meanwhile, the attempt stays counted as failed.
public protocol SMSVerifier: Sendable {
  /// Asks the provider to send a code, and returns once the provider has accepted the request.
  ///
  /// - Parameter verification: Where to send it, and for what.
  /// - Returns: The provider's name for it, at most 256 bytes, which is passed to ``check(_:of:)``.
  /// - Throws: Any error, as ``SMSSender/send(_:)``.
  func send(_ verification: SMSVerification) async throws -> String

  /// Whether a code is the one that was sent.
  ///
  /// - Parameters:
  ///   - code: What the user typed: 4...10 ASCII digits.
  ///   - verification: What was sent.
  /// - Throws: Any error: nothing is accepted, and the user gets `internalError` with the reason `sender`.
  func check(_ code: String, of verification: SMSVerification) async throws -> Bool
}

/// A verification for which a provider sends its own code. Its description shows none of its contents.
public struct SMSVerification: Sendable {
  /// The number, in E.164.
  public let phoneNumber: String
  /// The ID with which the client answers it.
  public let verificationID: String
  /// The provider's name for it; `nil` until it is sent.
  public let reference: String?

  /// The maximum length of a provider's name for it, in bytes.
  static let maximumReferenceByteCount = 256
}

extension SMSVerification: Redacted {}
