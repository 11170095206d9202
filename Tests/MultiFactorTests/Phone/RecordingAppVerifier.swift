@testable import MultiFactor

/// An app verifier that answers as it is told and keeps what it was asked.
final class RecordingAppVerifier: AppVerifier {
  enum Answer: Sendable { case yes, no, failure }
  struct Failure: Error {}

  private let state = Locked((answer: Answer.yes, requests: [String]()))

  var answer: Answer {
    get { state.withLock { $0.answer } }
    set { state.withLock { $0.answer = newValue } }
  }

  var requests: [String] { state.withLock { $0.requests } }

  func verify(_ credential: AppCredential?, forUser userID: String) async throws -> Bool {
    let text =
      switch credential {
      case .pushReceipt(let receipt): "push \(receipt)"
      case .recaptcha(let token): "recaptcha \(token)"
      case nil: "nothing"
      }
    return try state.withLock { state in
      state.requests.append("\(userID): \(text)")
      if state.answer == .failure { throw Failure() }
      return state.answer == .yes
    }
  }
}
