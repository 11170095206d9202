import Foundation
import MultiFactor

/// The refusal of a code, as printed. As for any client of MultiFactor, it does not say whether the code was wrong,
/// late or already used.
enum Refusal: Report {
  case rejected
  /// The factor accepts no code until a time or, with `nil`, until it is unlocked.
  case locked(until: Date?)

  /// `nil` for errors that are not the refusal of a code.
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
