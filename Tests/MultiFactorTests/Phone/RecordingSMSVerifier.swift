import Keyring

@testable import MultiFactor
@testable import MultiFactorPhone

/// A provider that makes its own codes and accepts each any number of times, so that a single use is not its doing.
final class RecordingSMSVerifier: SMSVerifier {
  struct Failure: Error {}

  private struct State {
    var codes: [String: String] = [:]
    var sent: [SMSVerification] = []
    var checked: [String] = []
    var fails = false
    var reference: String?
  }

  private let state = Locked(State())
  /// Runs while a code is being checked.
  let meanwhile = Locked<(@Sendable () async throws -> Void)?>(nil)

  var sent: [SMSVerification] { state.withLock { $0.sent } }
  /// The codes that it was asked to check, right and wrong.
  var checked: [String] { state.withLock { $0.checked } }
  /// The last code sent.
  var lastCode: String { state.withLock { $0.codes["VE\($0.sent.count)"] ?? "" } }

  var fails: Bool {
    get { state.withLock { $0.fails } }
    set { state.withLock { $0.fails = newValue } }
  }

  /// Its name for the next codes.
  func answer(with reference: String?) { state.withLock { $0.reference = reference } }

  func send(_ verification: SMSVerification) async throws -> String {
    try state.withLock { state in
      if state.fails { throw Failure() }
      state.sent.append(verification)
      let reference = state.reference ?? "VE\(state.sent.count)"
      state.codes[reference] = "47\(state.sent.count + 10)"
      return reference
    }
  }

  func check(_ code: String, of verification: SMSVerification) async throws -> Bool {
    try await meanwhile.withLock { $0 }?()
    return try state.withLock { state in
      state.checked.append(code)
      if state.fails { throw Failure() }
      return state.codes[verification.reference ?? ""] == code
    }
  }
}
