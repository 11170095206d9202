@testable import MultiFactor

/// Keeps messages instead of sending them, or fails.
final class RecordingSMSSender: SMSSender {
  struct Failure: Error {}

  private let state = Locked((messages: [SMSMessage](), fails: false))

  var messages: [SMSMessage] { state.withLock { $0.messages } }
  var lastCode: String { messages.last?.code ?? "" }

  var fails: Bool {
    get { state.withLock { $0.fails } }
    set { state.withLock { $0.fails = newValue } }
  }

  func send(_ message: SMSMessage) async throws {
    try state.withLock { state in
      if state.fails { throw Failure() }
      state.messages.append(message)
    }
  }
}
