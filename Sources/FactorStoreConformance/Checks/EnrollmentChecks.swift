import MultiFactor

extension FactorStoreConformance {
  private static func conditions(
    generation: UInt64? = nil, existing: Bool = true, maximum: Int = 5, challenge: String? = nil
  ) -> EnrollmentConditions {
    EnrollmentConditions(
      generation: generation, allowsExistingFactors: existing, maximumFactorCount: maximum, challengeID: challenge)
  }

  static let enrollmentChecks: [Check] = [
    Check("factors are kept in the order of their enrolment") { scene in
      for uid in ["m", "z", "a"] { try await scene.enroll(scene.factor(uid)) }
      _ = try await scene.store.removeFactor("m", of: "user", ifGeneration: nil)
      try await scene.enroll(scene.factor("k"))
      try await scene.expect(scene.account().factors.map(\.uid), ["z", "a", "k"], "order")
      try await scene.expect(scene.account().generation, 0, "generation")
    },

    Check("enrolling needs the generation, or asks for none") { scene in
      try await scene.expectUnchanged("a refused enrolment") {
        try await scene.expect(
          scene.store.enroll(scene.factor("a"), under: conditions(generation: 1)), .revoked, "a later one")
      }
      try await scene.expect(
        scene.store.enroll(scene.factor("a"), under: conditions(generation: 0)), .enrolled, "the first one")
      _ = try await scene.store.revokeHandles(of: "user")
      try await scene.expectUnchanged("a refused enrolment") {
        try await scene.expect(
          scene.store.enroll(scene.factor("b"), under: conditions(generation: 0)), .revoked, "an earlier one")
      }
      try await scene.expect(
        scene.store.enroll(scene.factor("b"), under: conditions(generation: 1)), .enrolled, "this one")
      try await scene.expect(scene.store.enroll(scene.factor("c"), under: conditions()), .enrolled, "any")
    },

    Check("enrolling can ask that there be no factor yet") { scene in
      try await scene.expect(
        scene.store.enroll(scene.factor("a"), under: conditions(existing: false)), .enrolled, "the first")
      try await scene.expectUnchanged("a refused enrolment") {
        try await scene.expect(
          scene.store.enroll(scene.factor("b"), under: conditions(existing: false)), .factorsExist, "the second")
      }
    },

    Check("no name and no unique key is enrolled twice") { scene in
      try await scene.enroll(scene.factor("a", uniqueKey: [1, 2]))
      try await scene.expectUnchanged("a refused enrolment") {
        try await scene.expect(
          scene.store.enroll(scene.factor("a"), under: conditions()), .alreadyEnrolled, "the same name")
        try await scene.expect(
          scene.store.enroll(scene.factor("b", uniqueKey: [1, 2]), under: conditions()), .alreadyEnrolled,
          "the same key")
        try await scene.expect(
          scene.store.enroll(scene.factor("a", of: "other"), under: conditions()), .alreadyEnrolled, "another's name")
      }
      try await scene.expect(scene.account("other"), AccountRecord(userID: "other"), "the other's record")
      try await scene.enroll(
        scene.factor("b", of: "other", uniqueKey: [1, 2]), scene.factor("c", uniqueKey: [1]), scene.factor("d"),
        scene.factor("e"))
      _ = try await scene.store.removeFactor("a", of: "user", ifGeneration: nil)
      try await scene.enroll(scene.factor("f", uniqueKey: [1, 2]))
    },

    Check("a name stays taken when its factor is removed or replaced") { scene in
      try await scene.enroll(scene.factor("a"), scene.factor("b"), scene.factor("x", of: "other"))
      _ = try await scene.store.removeFactor("a", of: "user", ifGeneration: nil)
      try await scene.expect(
        scene.store.replaceFactors(of: "user", with: [scene.factor("c"), scene.factor("d")]), 1, "generation")
      try await scene.expect(scene.store.replaceFactors(of: "user", with: [scene.factor("d")]), 2, "generation")
      for userID in ["user", "other", "nobody"] {
        try await scene.expectUnchanged(userID, "a name that was somebody's") {
          for (uid, what) in [("a", "removed"), ("b", "replaced"), ("c", "replaced"), ("d", "kept")] {
            try await scene.expect(
              scene.store.enroll(scene.factor(uid, of: userID), under: conditions()), .alreadyEnrolled, what)
          }
        }
      }
      // Once it is gone, one that was kept is as spent as the others; with the last factor no name comes free.
      _ = try await scene.store.removeFactor("d", of: "user", ifGeneration: nil)
      for uid in ["a", "b", "c", "d"] {
        try await scene.expect(
          scene.store.enroll(scene.factor(uid), under: conditions()), .alreadyEnrolled, "after the last factor")
      }
      // A name that was only asked for is not taken.
      try await scene.expect(
        scene.store.enroll(scene.factor("e"), under: conditions(maximum: 0)), .tooMany, "a refused enrolment")
      try await scene.enroll(scene.factor("e"))
    },

    Check("the largest number of factors is a user's, and is reached but not passed") { scene in
      try await scene.enroll(scene.factor("x", of: "other"), scene.factor("a"))
      try await scene.expect(
        scene.store.enroll(scene.factor("b"), under: conditions(maximum: 2)), .enrolled, "the last")
      try await scene.expectUnchanged("a refused enrolment") {
        try await scene.expect(
          scene.store.enroll(scene.factor("c"), under: conditions(maximum: 2)), .tooMany, "one more")
        try await scene.expect(
          scene.store.enroll(scene.factor("c"), under: conditions(maximum: 1)), .tooMany, "two more")
      }
      try await scene.expect(
        scene.store.enroll(scene.factor("y", of: "third"), under: conditions(maximum: 0)), .tooMany, "none allowed")
    },

    Check("an enrolment challenge is spent by one enrolment") { scene in
      try await scene.activate(scene.challenge("c"))
      try await scene.expect(
        scene.store.enroll(scene.factor("a"), under: conditions(challenge: "c")), .enrolled, "the first")
      try await scene.expectUnchanged("a refused enrolment") {
        try await scene.expect(
          scene.store.enroll(scene.factor("b"), under: conditions(challenge: "c")), .challengeSpent, "the second")
      }
      try await scene.expect(scene.reserve(.enrollmentChallenge(id: "c")), .challengeNotFound, "an attempt on it")
    },

    Check("an enrolment challenge must be active, the user's own, and for enrolment") { scene in
      try await scene.enroll(scene.factor("a", kind: .phone))
      try await scene.expect(scene.open(scene.challenge("inactive")), .opened, "open")
      try await scene.activate(scene.challenge("another's", of: "other"))
      try await scene.activate(scene.challenge("sign-in", for: .signIn(factorUID: "a")))
      try await scene.expectUnchanged("a refused enrolment") {
        for id in ["inactive", "another's", "sign-in", "none"] {
          try await scene.expect(
            scene.store.enroll(scene.factor("b"), under: conditions(challenge: id)), .challengeSpent, id)
        }
      }
      // None of them was spent.
      try await scene.expect(scene.store.activateChallenge("inactive", of: "user"), true, "activate")
      _ = try await scene.reserved(.enrollmentChallenge(id: "another's"), of: "other")
      _ = try await scene.reserved(.phoneFactor(uid: "a", challengeID: "sign-in"))
    },

    Check("a refused enrolment spends no challenge, and one whose tries are used up can be spent") { scene in
      try await scene.activate(scene.challenge("c"))
      for _ in 0..<ChallengeRecord.maximumTries { _ = try await scene.reserved(.enrollmentChallenge(id: "c")) }
      let refusals: [(EnrollmentConditions, EnrollmentOutcome)] = [
        (conditions(generation: 3, challenge: "c"), .revoked), (conditions(maximum: 0, challenge: "c"), .tooMany),
      ]
      for (conditions, outcome) in refusals {
        try await scene.expect(scene.store.enroll(scene.factor("a"), under: conditions), outcome, "refusal")
      }
      try await scene.expect(
        scene.store.enroll(scene.factor("a"), under: conditions(challenge: "c")), .enrolled, "enroll")
    },

    Check("the conditions of an enrolment are checked in their order") { scene in
      try await scene.enroll(scene.factor("a"))
      let failing = { (generation: UInt64?, existing: Bool) in
        conditions(generation: generation, existing: existing, maximum: 0, challenge: "none")
      }
      try await scene.expectUnchanged("a refused enrolment") {
        try await scene.expect(scene.store.enroll(scene.factor("a"), under: failing(9, false)), .revoked, "1st")
        try await scene.expect(scene.store.enroll(scene.factor("a"), under: failing(0, false)), .factorsExist, "2nd")
        try await scene.expect(scene.store.enroll(scene.factor("a"), under: failing(0, true)), .alreadyEnrolled, "3rd")
        try await scene.expect(scene.store.enroll(scene.factor("b"), under: failing(0, true)), .tooMany, "4th")
      }
    },
  ]
}
