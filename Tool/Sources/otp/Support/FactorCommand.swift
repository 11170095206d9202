import ArgumentParser
import Foundation
import MultiFactor

/// A command on a store of factors.
protocol FactorCommand: AsyncParsableCommand, PathTaking {
  /// Whose factors it is about.
  var account: AccountOptions { get }

  /// How the result is printed.
  var output: JSONOption { get }

  /// Does what the command is for. What the multi-factor layer throws becomes a refusal or an error of the tool.
  func execute() async throws
}

extension FactorCommand {
  var paths: [PathArgument] { account.store.paths }

  func run() async throws {
    try OperatorBackend.check()
    do {
      try await execute()
    } catch let error as AuthError {
      guard let refusal = Refusal(error) else { throw ToolError(error) }
      try refusal.print(asJSON: output.json)
      throw ExitStatus.negative
    }
  }
}

/// A plain no to a code, as it is printed. As to any client of the multi-factor layer, it does not say whether the code
/// was wrong, late or used before.
private enum Refusal: Report {
  case rejected
  /// The factor takes no code for now, or, with `nil`, no more.
  case locked(until: Date?)

  /// Tells a no from what keeps the command from an answer, for which it is `nil`.
  init?(_ error: AuthError) {
    switch error.code {
    case .invalidVerificationCode, .missingVerificationCode: self = .rejected
    case .tooManyRequests: self = .locked(until: error.retryAfter)
    default: return nil
    }
  }

  var lines: [String] {
    switch self {
    case .rejected: ["rejected"]
    case .locked(let until): [until.map { "locked until=\(Timestamp.future($0))" } ?? "locked"]
    }
  }

  private enum Key: CodingKey {
    case result, until
  }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    switch self {
    case .rejected: try object.encode("rejected", forKey: .result)
    case .locked(let until):
      try object.encode("locked", forKey: .result)
      try object.encode(until.map(Timestamp.future), forKey: .until)
    }
  }
}
