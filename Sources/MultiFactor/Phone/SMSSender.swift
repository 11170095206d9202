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
