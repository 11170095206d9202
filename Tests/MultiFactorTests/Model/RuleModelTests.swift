import Foundation
import Testing

@testable import MultiFactor

/// Random sequences of operations against a model of the rules.
@Suite struct RuleModelTests {
  /// The number of sequences of 60 operations: fewer on durable stores, which are slower; `WALKS` sets it in memory.
  private func count(on kind: StoreKind) -> UInt64 {
    let asked = ProcessInfo.processInfo.environment["WALKS"].flatMap { UInt64($0) }
    return kind == .memory ? asked ?? 250 : 15
  }

  @Test(arguments: StoreKind.available)
  func `Every operation of a random sequence ends as the model of the rules says`(on kind: StoreKind) async throws {
    let first = ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) } ?? 1
    let parts = UInt64(ProcessInfo.processInfo.activeProcessorCount)
    let outcomes = await withTaskGroup(of: [String: Int].self) { group in
      for part in 0..<parts {
        let seeds = stride(from: first + part, to: first + count(on: kind), by: UInt64.Stride(parts))
        group.addTask { await Self.walk(seeds, on: kind) }
      }
      return await group.reduce(into: [:]) { $0.merge($1) { $0 + $1 } }
    }
    guard kind == .memory else { return }
    // Every outcome has occurred: no rule is untested because nothing reached it.
    for outcome in Self.expectedOutcomes { #expect(outcomes[outcome, default: 0] > 0, "\(outcome) never happened") }
  }

  private static func walk(_ seeds: StrideTo<UInt64>, on kind: StoreKind) async -> [String: Int] {
    var outcomes: [String: Int] = [:]
    for seed in seeds {
      do {
        var walk = try await Walk(seed: seed, on: kind)
        try await walk.run(operations: 60)
        outcomes.merge(walk.outcomes) { $0 + $1 }
      } catch {
        Issue.record("SEED=\(seed): \(error)")
        break
      }
    }
    return outcomes
  }

  private static let expectedOutcomes = [
    "sign in: done", "sign in: secondFactorRequired", "resolve: done", "resolve: invalidVerificationCode",
    "resolve: tooManyRequests", "resolve: sessionExpired", "resolve: multiFactorInfoNotFound",
    "resolve: userTokenExpired", "recover: done", "recover: invalidVerificationCode", "recover: tooManyRequests",
    "begin to enroll: done", "begin to enroll: requiresRecentLogin", "begin to enroll: userTokenExpired",
    "enroll: done", "enroll: invalidVerificationCode", "enroll: requiresRecentLogin", "enroll: sessionExpired",
    "enroll: userTokenExpired", "enroll: maximumSecondFactorCountExceeded", "enroll: secondFactorAlreadyEnrolled",
    "unenroll: done", "unenroll: invalidUserToken", "unenroll the only one: done", "unenroll: requiresRecentLogin",
    "unenroll: multiFactorInfoNotFound", "unenroll: userTokenExpired",
    "make recovery codes: done", "make recovery codes: requiresRecentLogin",
    "make recovery codes: multiFactorInfoNotFound", "require: done", "require: secondFactorRequired",
    "resynchronize: done", "resynchronize: invalidVerificationCode", "resynchronize: multiFactorInfoNotFound",
    "account locked", "unlocked by another", "reload: done", "reload: userTokenExpired", "restore: done",
    "restore: userTokenExpired", "unlock: done", "unlock: multiFactorInfoNotFound",
    "send: done", "send: quotaExceeded", "send: sessionExpired", "send: userTokenExpired", "send: internalError",
    "send: multiFactorInfoNotFound", "answer: done", "answer: invalidVerificationCode", "answer: tooManyRequests",
    "answer: invalidVerificationID", "answer: sessionExpired", "answer: userTokenExpired",
    "answer: multiFactorInfoNotFound", "send to enroll: done", "send to enroll: quotaExceeded",
    "send to enroll: sessionExpired", "send to enroll: userTokenExpired", "send to enroll: internalError",
    "send to enroll: secondFactorAlreadyEnrolled", "send to enroll: maximumSecondFactorCountExceeded",
    "enroll a phone: done", "enroll a phone: invalidVerificationCode", "enroll a phone: invalidVerificationID",
    "enroll a phone: requiresRecentLogin", "enroll a phone: userTokenExpired",
    "import: done", "import: spent before", "import: secondFactorAlreadyEnrolled",
    "import: maximumSecondFactorCountExceeded", "import: missingMultiFactorInfo", "import: multiFactorInfoNotFound",
    "overwrite: done", "overwrite: secondFactorAlreadyEnrolled", "overwrite: multiFactorInfoNotFound",
    "overwrite: missingMultiFactorInfo", "overwrite: maximumSecondFactorCountExceeded", "remove: done",
    "remember: done", "remember: requiresRecentLogin", "remember: userTokenExpired", "forget: done",
    "sign in from a browser: done", "sign in from a browser: secondFactorRequired", "sign in without a factor: done",
    "sign in as another: secondFactorRequired",
    "remove: multiFactorInfoNotFound", "remove recovery codes: done", "delete: done", "delete for good: done",
  ]
}
