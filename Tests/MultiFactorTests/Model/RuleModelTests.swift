import Foundation
import Testing

@testable import MultiFactor

/// Random sequences of operations against a model of the rules.
@Suite struct RuleModelTests {
  /// How many sequences: durable ones take longer.
  private func count(on kind: StoreKind) -> Int { kind == .memory ? 400 : 25 }

  @Test(arguments: StoreKind.available)
  func `Whatever users, guessers and clocks do, each step ends as the rules say`(on kind: StoreKind) async throws {
    var outcomes: [String: Int] = [:]
    let first = ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) } ?? 1
    for seed in first..<first + UInt64(count(on: kind)) {
      var walk = try Walk(seed: seed, on: kind)
      do {
        try await walk.run(operations: 60)
      } catch {
        Issue.record("SEED=\(seed): \(error)")
        return
      }
      outcomes.merge(walk.outcomes) { $0 + $1 }
    }
    guard kind == .memory else { return }
    // Each rule has been at work: none is untested because nothing came to it.
    for outcome in Self.expectedOutcomes { #expect(outcomes[outcome, default: 0] > 0, "\(outcome) never happened") }
  }

  private static let expectedOutcomes = [
    "sign in: done", "sign in: secondFactorRequired", "resolve: done", "resolve: invalidVerificationCode",
    "resolve: tooManyRequests", "resolve: sessionExpired", "resolve: multiFactorInfoNotFound",
    "resolve: userTokenExpired", "recover: done", "recover: invalidVerificationCode", "recover: tooManyRequests",
    "enrol: done", "enrol: invalidVerificationCode", "enrol: requiresRecentLogin",
    "enrol: userTokenExpired", "enrol: maximumSecondFactorCountExceeded", "unenrol: done",
    "unenrol: requiresRecentLogin", "unenrol: multiFactorInfoNotFound", "unenrol: userTokenExpired",
    "make recovery codes: done", "make recovery codes: requiresRecentLogin",
    "make recovery codes: multiFactorInfoNotFound", "require: done", "require: secondFactorRequired",
    "unlock: done", "unlock: multiFactorInfoNotFound",
  ]
}
