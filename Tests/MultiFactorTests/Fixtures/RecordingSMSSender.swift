import Keyring

@testable import MultiFactor
@testable import MultiFactorPhone

/// Keeps messages instead of sending them, or fails.
final class RecordingSMSSender: SMSSender {
  struct Failure: Error {}

  private let state = Locked((messages: [SMSMessage](), fails: false))
  /// Runs while a message is being sent.
  let meanwhile = Locked<(@Sendable () async throws -> Void)?>(nil)

  var messages: [SMSMessage] { state.withLock { $0.messages } }
  var lastCode: String { messages.last?.code ?? "" }

  var fails: Bool {
    get { state.withLock { $0.fails } }
    set { state.withLock { $0.fails = newValue } }
  }

  func send(_ message: SMSMessage) async throws {
    try await meanwhile.withLock { $0 }?()
    try state.withLock { state in
      if state.fails { throw Failure() }
      state.messages.append(message)
    }
  }
}
