import OTP

/// Sends text messages: the host's way to its provider.
public protocol SMSSender: Sendable {
  /// Hands a message to the provider, and returns once the provider has taken it.
  ///
  /// - Throws: Anything: the challenge then never becomes active, the message does not count against the number, and
  ///   the user gets `internalError`, with the reason `cancelled` if the client has hung up, else `smsSender`.
  func send(_ message: SMSMessage) async throws
}

/// A text message with a code. Its description shows neither number nor code.
public struct SMSMessage: Sendable {
  /// The number to send it to, in E.164.
  public let phoneNumber: String
  /// The code, for a sender that has texts of its own.
  public let code: String
  /// What the client gets to answer it with.
  public let verificationID: String
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

/// A provider that makes, sends and checks codes itself, so that only it knows them.
///
/// An answer is counted in one transaction before the provider is asked, and the challenge ended in another after it
/// has said yes: guesses are bounded as with a code of ours, and an answer that the provider would accept twice is
/// accepted once. An attempt stays counted as failed if the provider throws, or the process ends meanwhile.
public protocol SMSVerifier: Sendable {
  /// Has the provider send a code, and returns once the provider has taken it.
  ///
  /// - Parameter verification: Where to, and for what.
  /// - Returns: What the provider calls it, 256 bytes at most: ``check(_:of:)`` gets it again.
  /// - Throws: Anything, as ``SMSSender/send(_:)``.
  func send(_ verification: SMSVerification) async throws -> String

  /// Whether a code is the one that was sent.
  ///
  /// - Parameters:
  ///   - code: What the user typed: 4...10 ASCII digits.
  ///   - verification: What was sent.
  /// - Throws: Anything: nothing is accepted, and the user gets `internalError` with the reason `smsSender`.
  func check(_ code: String, of verification: SMSVerification) async throws -> Bool
}

/// What a provider has sent, or is to send, a code of its own for. Its description shows nothing of it.
public struct SMSVerification: Sendable {
  /// The number, in E.164.
  public let phoneNumber: String
  /// What the client gets to answer it with.
  public let verificationID: String
  /// What the provider calls it; `nil` before it was sent.
  public let reference: String?

  /// How long a provider's name for it can be, in bytes.
  static let maximumReferenceByteCount = 256
}

extension SMSVerification: Redacted {}
