import MultiFactor

extension FactorStoreConformance {
  static let acceptanceChecks: [Check] = [
    Check("a position is accepted once, and then only one above it") { scene in
      try await scene.enroll(scene.factor("a"), scene.factor("b"))
      let steps: [(UInt64, AcceptanceOutcome)] = [
        (10, .accepted), (10, .replayed), (9, .replayed), (0, .replayed), (11, .accepted), (10, .replayed),
        (1000, .accepted), (999, .replayed),
      ]
      var model = try await scene.held("a")
      for (index, (position, outcome)) in steps.enumerated() {
        let reservation = try await scene.reserved(.factor(uid: "a"), under: Scene.patientPolicy()).number
        _ = model.attempts.reserve(at: Scene.time(0), under: .standard)
        try await scene.expect(
          scene.accept(.position(position, drift: index, factorUID: "a"), reservation: reservation), outcome,
          "position \(position)")
        if outcome == .accepted {
          model.lastAccepted = position
          model.drift = index
          model.attempts.succeed(reservation)
        }
        try await scene.expect(scene.held("a"), model, "factor after \(position)")
      }
      try await scene.expect(scene.held("b"), scene.factor("b"), "the other factor")
    },

    Check("positions are compared over their whole range") { scene in
      try await scene.enroll(scene.factor("a"))
      let steps: [(UInt64, AcceptanceOutcome)] = [
        (0, .accepted), (0, .replayed), (1, .accepted), (1 << 53, .accepted), (1 << 53 | 1, .accepted),
        (1 << 53, .replayed), (.max >> 1, .accepted), (1 << 63, .accepted), (.max >> 1, .replayed),
        (.max - 1, .accepted), (.max, .accepted), (.max, .replayed), (0, .replayed), (1 << 63, .replayed),
      ]
      for (position, outcome) in steps {
        try await scene.expect(
          scene.accept(.position(position, drift: 0, factorUID: "a")), outcome, "position \(position)")
      }
      try await scene.expect(scene.held("a").lastAccepted, .max, "last accepted")
    },

    Check("the position of an enrolment is spent") { scene in
      var factor = scene.factor("a")
      factor.lastAccepted = 7
      try await scene.enroll(factor)
      try await scene.expectUnchanged("a replay") {
        try await scene.expect(scene.accept(.position(7, drift: 0, factorUID: "a")), .replayed, "position 7")
      }
      try await scene.expect(scene.accept(.position(8, drift: 0, factorUID: "a")), .accepted, "position 8")
    },

    Check("a success clears its own failure and those before, not those after") { scene in
      try await scene.enroll(scene.factor("a"))
      for _ in 1...4 { _ = try await scene.reserved(.factor(uid: "a"), under: Scene.patientPolicy()) }
      try await scene.expect(
        scene.accept(.position(1, drift: 0, factorUID: "a"), reservation: 3), .accepted, "the third attempt")
      try await scene.expect(scene.held("a").attempts.consecutiveFailures, 1, "failures")
      try await scene.expect(
        scene.accept(.position(2, drift: 0, factorUID: "a"), reservation: 1), .accepted, "the first, later")
      try await scene.expect(
        scene.held("a").attempts,
        AttemptState(attempts: 4, cleared: 3, acceptances: 2, lastAttempt: Scene.time(0)), "attempts")
    },

    Check("an acceptance needs the generation, then the factor, then what is spent by it") { scene in
      try await scene.enroll(scene.factor("a"), scene.factor("x", of: "other"))
      _ = try await scene.store.replaceRecoveryCodes(of: "user", with: [[1]], ifGeneration: 0)
      _ = try await scene.store.revokeHandles(of: "user")
      try await scene.activate(scene.challenge("c", for: .signIn(factorUID: "a")))
      let evidence: [(Acceptance.Evidence, AcceptanceOutcome)] = [
        (.position(5, drift: 1, factorUID: "a"), .accepted), (.position(5, drift: 1, factorUID: "x"), .notFound),
        (.challenge(id: "c", factorUID: "a"), .accepted), (.challenge(id: "c", factorUID: "x"), .notFound),
        (.challenge(id: "no", factorUID: "a"), .replayed), (.recoveryCode(hash: [1]), .accepted),
        (.recoveryCode(hash: [2]), .replayed),
      ]
      try await scene.expectUnchanged("other", "acceptances of a user's") {
        try await scene.expectUnchanged("user", "an acceptance of another generation") {
          for generation: UInt64 in [0, 2, .max] {
            for (evidence, _) in evidence {
              try await scene.expect(
                scene.accept(evidence, generation: generation), .revoked, "\(evidence) in \(generation)")
            }
          }
        }
        for (evidence, outcome) in evidence where outcome != .accepted {
          try await scene.expectUnchanged("user", "a refused acceptance") {
            try await scene.expect(scene.accept(evidence, generation: 1), outcome, "\(evidence)")
          }
        }
        for (evidence, outcome) in evidence where outcome == .accepted {
          try await scene.expect(scene.accept(evidence, generation: 1), outcome, "\(evidence)")
        }
      }
      let position = Acceptance.Evidence.position(1, drift: 0, factorUID: "a")
      try await scene.expect(scene.accept(position, of: "nobody"), .notFound, "nobody's factor")
      try await scene.expect(scene.accept(.recoveryCode(hash: [1]), of: "nobody"), .replayed, "nobody's code")
      try await scene.expect(scene.accept(position, of: "nobody", generation: 1), .revoked, "nobody's generation")
    },

    Check("a challenge is spent by one acceptance, of its own user and factor, once it is active") { scene in
      try await scene.enroll(
        scene.factor("a", kind: .phone), scene.factor("b", kind: .phone), scene.factor("x", of: "other", kind: .phone))
      try await scene.activate(scene.challenge("c", for: .signIn(factorUID: "a")))
      try await scene.activate(scene.challenge("enrolment"))
      try await scene.activate(scene.challenge("for x", of: "other", for: .signIn(factorUID: "x")))
      try await scene.expect(scene.open(scene.challenge("inactive", for: .signIn(factorUID: "b"))), .opened, "open")
      let number = try await scene.reserved(.phoneFactor(uid: "a", challengeID: "c")).number
      let accept = { try await scene.accept(.challenge(id: $0, factorUID: $1), reservation: number) }
      try await scene.expectUnchanged("a refused acceptance") {
        try await scene.expect(accept("c", "b"), .replayed, "another factor")
        try await scene.expect(accept("enrolment", "a"), .replayed, "an enrolment's")
        try await scene.expect(accept("for x", "a"), .replayed, "another user's")
        try await scene.expect(accept("inactive", "b"), .replayed, "one that is not active")
      }
      var expected = try await scene.account()
      expected.factors[0].attempts.succeed(number)
      try await scene.expect(accept("c", "a"), .accepted, "its own")
      try await scene.expect(scene.account(), expected, "record")
      try await scene.expectUnchanged("a replay") {
        try await scene.expect(accept("c", "a"), .replayed, "once more")
      }
      try await scene.expect(
        scene.reserve(.phoneFactor(uid: "a", challengeID: "c")), .challengeNotFound, "an attempt on it")
    },
  ]
}
