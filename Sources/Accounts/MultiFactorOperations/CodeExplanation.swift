import FactorRecord
import Foundation
import MultiFactor

/// What a code is to a user's factors, for an administrator whose user says that a code is not accepted.
public struct CodeExplanation: Sendable {
  /// One of the user's factors, or the recovery codes.
  public struct Factor: Sendable {
    /// The factor's name; for the recovery codes, `RecoveryCodeMultiFactorID`.
    public let uid: String
    /// What the code is to it.
    public let explanation: FactorRecord.Explanation
  }

  /// The user, with the state of each factor.
  public let user: AdministeredUser
  /// The factors whose codes are computed, in the order of their enrollment, then the recovery codes.
  public let factors: [Factor]

  /// The factor that explains the code best: among those that it was found for, the one that is the least
  /// likely by accident. `nil` if it was found for none.
  public var likeliest: Factor? {
    factors.filter { ![.wrong, .malformed].contains($0.explanation.cause) }
      .max { $0.explanation.odds ?? .max < $1.explanation.odds ?? .max }
  }
}

extension MultiFactorAdmin {
  /// Explains a code that a user submitted: late or early, used already, computed otherwise, or another factor's.
  ///
  /// Nothing is counted and nothing changes. It answers for a day either way, so the answer is for the administrator:
  /// never give it to a client, who could guess with it. It is reported as `explained` before this returns.
  ///
  /// - Parameters:
  ///   - typed: What the user typed.
  ///   - userID: The host's ID for the user.
  ///   - date: When, by the server's clock; `nil` for now.
  /// - Throws: `AuthError` with code `internalError`; its reason is `clock` if the date, or the server's clock, is
  ///   before 2000 or after 2199 (UTC).
  ///
  /// Timing: depends on what explains the code.
  public func explain(_ typed: String, of userID: String, at date: Date? = nil) async throws -> CodeExplanation {
    try check(userID)
    let (time, policy) = ((date ?? context.events.now()).unixSeconds, context.configuration.policy)
    guard Milliseconds.range ~= time else { throw context.events.error(for: FactorRecordError(.invalidTime), userID) }
    let account = try await context.account(of: userID)
    context.events.record(.explained, user: userID)
    let records = account.factors.map { ($0.uid, $0.record) } + [(RecoveryCodeMultiFactorID, account.recovery)]
    var factors: [CodeExplanation.Factor] = []
    for case (let uid, let record?) in records {
      let explanation = try context.reporting(userID) {
        try record.explain(typed, at: time, under: policy)
      }
      factors.append(CodeExplanation.Factor(uid: uid, explanation: explanation))
    }
    return CodeExplanation(user: administered(userID, account), factors: factors)
  }
}
