import Foundation
import MultiFactor

extension FactorStoreConformance {
  /// Opens challenges of two a ten seconds, by a limit that `limits` sets, and checks each boundary.
  private static func checkSliding(
    _ scene: Scene, _ limits: SendLimits, opening challenge: @Sendable (String) -> ChallengeRecord,
    free: ChallengeRecord?
  ) async throws {
    let steps: [(second: Int, retryAfter: Int?)] = [
      (0, nil), (4, nil), (4, 10), (9, 10), (10, nil), (10, 14), (13, 14), (14, nil), (15, 20), (40, nil), (40, nil),
      (41, 50), (49, 50), (50, nil), (50, nil), (50, 60),
    ]
    for (index, step) in steps.enumerated() {
      let outcome = try await scene.open(challenge("c\(index)"), at: step.second, under: limits)
      let expected = step.retryAfter.map { ChallengeOutcome.refused(retryAfter: Scene.time($0)) } ?? .opened
      try scene.expect(outcome, expected, "message \(index) at \(step.second)")
    }
    if let free { try await scene.expect(scene.open(free, at: 50, under: limits), .opened, "what is counted apart") }
  }

  static let limitChecks: [Check] = [
    Check("messages to one number are limited in a sliding interval, whoever asks") { scene in
      let limits = try Scene.limits(perNumber: SendLimits.Limit(2, every: 10))
      try await checkSliding(
        scene, limits, opening: { scene.challenge($0, of: "user \($0)", number: 1) },
        free: scene.challenge("f", number: 2))
    },

    Check("messages for one user are limited in a sliding interval, to whatever number") { scene in
      let limits = try Scene.limits(perUser: SendLimits.Limit(2, every: 10))
      try await checkSliding(
        scene, limits, opening: { scene.challenge($0, number: UInt8($0.dropFirst()) ?? 0) },
        free: scene.challenge("f", of: "other"))
    },

    Check("messages in all are limited in a sliding interval") { scene in
      let limits = try Scene.limits(overall: SendLimits.Limit(2, every: 10))
      try await checkSliding(
        scene, limits,
        opening: { scene.challenge($0, of: "user \($0)", number: UInt8($0.dropFirst()) ?? 0) }, free: nil)
    },

    Check("without limits, a challenge is neither refused nor counted") { scene in
      let limits = try Scene.limits(overall: SendLimits.Limit(1, every: 10))
      for index in 0..<3 {
        try await scene.expect(scene.open(scene.challenge("t\(index)"), under: nil), .opened, "before \(index)")
      }
      try await scene.expect(scene.open(scene.challenge("a"), under: limits), .opened, "the first that counts")
      try await scene.expect(scene.open(scene.challenge("t3"), under: nil), .opened, "beyond the limit")
      try await scene.expect(
        scene.open(scene.challenge("b"), under: limits), .refused(retryAfter: Scene.time(10)), "the second that counts")
    },

    Check("of several limits reached, the answer is when the last one ends") { scene in
      let limits = try SendLimits(
        perNumber: SendLimits.Limit(1, every: 10), perUser: SendLimits.Limit(2, every: 100),
        overall: SendLimits.Limit(3, every: 50))
      let open = {
        try await scene.open(scene.challenge("\($0)", of: $1, number: $2), at: $0, under: limits)
      }
      try await scene.expect(open(0, "a", 1), .opened, "1")
      try await scene.expect(open(1, "b", 1), .refused(retryAfter: Scene.time(10)), "number")
      try await scene.expect(open(2, "a", 2), .opened, "2")
      try await scene.expect(open(3, "a", 1), .refused(retryAfter: Scene.time(100)), "number and user")
      try await scene.expect(open(20, "c", 3), .opened, "3")
      try await scene.expect(open(21, "c", 3), .refused(retryAfter: Scene.time(50)), "number and all")
      try await scene.expect(open(49, "d", 4), .refused(retryAfter: Scene.time(50)), "all")
      try await scene.expect(open(50, "d", 4), .opened, "4")
      try await scene.expect(open(99, "a", 5), .refused(retryAfter: Scene.time(100)), "user")
      try await scene.expect(open(100, "a", 5), .opened, "5")
    },

    Check("a refused message keeps no challenge, and counts for nothing") { scene in
      let limits = try Scene.limits(perNumber: SendLimits.Limit(1, every: 10), perUser: SendLimits.Limit(2, every: 10))
      try await scene.activate(scene.challenge("live"))
      try await scene.expect(
        scene.open(scene.challenge("a"), under: limits), .refused(retryAfter: Scene.time(10)), "open")
      try await scene.expect(scene.store.activateChallenge("a", of: "user"), false, "activate")
      _ = try await scene.reserved(.enrollmentChallenge(id: "live"))
      try await scene.expect(
        scene.open(scene.challenge("b", number: 2), under: limits), .opened, "the user's second")
    },

    Check("a message counts, whatever becomes of its challenge") { scene in
      let limits = try Scene.limits(perUser: SendLimits.Limit(3, every: 1000))
      let refused = ChallengeOutcome.refused(retryAfter: Scene.time(1000))
      try await scene.expect(scene.open(scene.challenge("never active", expiry: 5), under: limits), .opened, "1")
      try await scene.activate(scene.challenge("spent"))
      try await scene.expect(
        scene.store.enroll(
          scene.factor("a"),
          under: EnrollmentConditions(
            generation: nil, allowsExistingFactors: true, maximumFactorCount: 5, challengeID: "spent")), .enrolled,
        "enroll")
      try await scene.activate(scene.challenge("removed", number: 2, expiry: 5))
      _ = try await scene.store.replaceFactors(of: "user", with: [])
      try await scene.expect(scene.open(scene.challenge("x", number: 3), at: 999, under: limits), refused, "4")
    },

    Check("after the clock was set back, a limit holds for no longer than its interval") { scene in
      let limits = try Scene.limits(perUser: SendLimits.Limit(2, every: 10))
      for second in [100_000, 100_005] {
        try await scene.expect(scene.open(scene.challenge("\(second)"), at: second, under: limits), .opened, "open")
      }
      let open = { try await scene.open(scene.challenge("\($0)"), at: $0, under: limits) }
      try await scene.expect(open(0), .refused(retryAfter: Scene.time(10)), "at once")
      try await scene.expect(open(9), .refused(retryAfter: Scene.time(10)), "a second before")
      try await scene.expect(open(10), .opened, "after the interval")
    },
  ]
}
