import Keyring

@testable import MultiFactor
@testable import MultiFactorPhone

/// An app verifier that gives a chosen answer and records its requests.
final class RecordingAppVerifier: AppVerifier {
  enum Answer: Sendable, Equatable { case yes, no, failure, score(Double) }
  struct Failure: Error {}

  private let state = Locked((answer: Answer.yes, requests: [String]()))

  var answer: Answer {
    get { state.withLock { $0.answer } }
    set { state.withLock { $0.answer = newValue } }
  }

  var requests: [String] { state.withLock { $0.requests } }

  /// What happens while the verifier is asked.
  let meanwhile = Locked<(@Sendable () async throws -> Void)?>(nil)

  func verify(_ request: AppVerificationRequest) async throws -> AppVerdict {
    try await meanwhile.withLock { $0 }?()
    let text =
      switch request.credential {
      case .pushReceipt(let receipt, let secret): "push \(receipt) \(secret)"
      case .recaptcha(let token, let version): "recaptcha \(token) \(version ?? "?")"
      case nil: "nothing"
      }
    return try state.withLock { state in
      let sender = "\(request.userID) \(request.phoneNumber) \(request.clientAddress ?? "?")"
      state.requests.append("\(sender): \(text)")
      switch state.answer {
      case .yes: return .genuine
      case .no: return .refused
      case .failure: throw Failure()
      case .score(let score): return .score(score)
      }
    }
  }
}
