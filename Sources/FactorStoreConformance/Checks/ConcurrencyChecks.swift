import MultiFactor

extension FactorStoreConformance {
  static let concurrencyChecks: [Check] = [
    Check("of 1,000 acceptances of one position at once, one is recorded") { scene in
      try await scene.enroll(scene.factor("a"))
      let outcomes = try await scene.atOnce(1000) { _ in
        // Each with an attempt of its own, as far as the policy grants one.
        let outcome = try await scene.reserve(.factor(uid: "a"), under: Scene.patientPolicy())
        var number: UInt64 = 0
        if case .reserved(let reservation) = outcome { number = reservation.number }
        return try await scene.accept(.position(7, drift: 0, factorUID: "a"), reservation: number)
      }
      try scene.expect(outcomes.count { $0 == .accepted }, 1, "acceptances")
      try scene.expect(outcomes.count { $0 == .replayed }, 999, "replays")
      try await scene.expect(scene.held("a").attempts.acceptances, 1, "acceptances recorded")
    },

    Check("reservations at once never pass the policy's limit, and each has a number of its own") { scene in
      try await scene.enroll(scene.factor("a"), scene.factor("b", of: "other"))
      let policy = try AttemptPolicy(failuresUntilLock: 10, lockDuration: nil, firstDelayedFailure: 10, initialDelay: 0)
      let numbers = try await scene.atOnce(200) { index -> UInt64? in
        let isOthers = index.isMultiple(of: 2)
        let outcome = try await scene.reserve(
          .factor(uid: isOthers ? "b" : "a"), of: isOthers ? "other" : "user", under: policy)
        guard case .reserved(let reservation) = outcome else { return nil }
        return reservation.number
      }
      try scene.expect(
        numbers.compactMap { $0 }.sorted(), (1...10).flatMap { [UInt64($0), UInt64($0)] }, "numbers of two factors")
      try await scene.expect(scene.held("a").attempts.attempts, 10, "attempts")
      try await scene.expect(scene.held("b", of: "other").attempts.attempts, 10, "attempts")
    },

    Check("of a recovery code and a challenge, offered many times at once, one acceptance each is recorded") { scene in
      try await scene.enroll(scene.factor("a", kind: .phone))
      _ = try await scene.store.replaceRecoveryCodes(of: "user", with: [[1], [2]], ifGeneration: 0)
      try await scene.activate(scene.challenge("c", for: .signIn(factorUID: "a")))
      let outcomes = try await scene.atOnce(200) { index in
        try await scene.accept(
          index.isMultiple(of: 2) ? .recoveryCode(hash: [1]) : .challenge(id: "c", factorUID: "a"), reservation: 0)
      }
      try scene.expect(outcomes.count { $0 == .accepted }, 2, "acceptances")
      try await scene.expect(scene.account().recoveryCodesRemaining, 1, "codes left")
    },

    Check("a challenge's tries at once are as many as it has") { scene in
      try await scene.activate(scene.challenge("c"))
      let outcomes = try await scene.atOnce(50) { _ in try await scene.reserve(.enrollmentChallenge(id: "c")) }
      try scene.expect(
        outcomes.count { $0 != .challengeNotFound }, ChallengeRecord.maximumTries, "tries")
    },

    Check("enrolments at once never pass the largest number, nor share a unique key or a challenge") { scene in
      let conditions = EnrollmentConditions(generation: 0, allowsExistingFactors: true, maximumFactorCount: 5)
      let outcomes = try await scene.atOnce(50) { index in
        try await scene.store.enroll(scene.factor("f\(index)"), under: conditions)
      }
      try scene.expect(outcomes.count { $0 == .enrolled }, 5, "enrolled")
      try await scene.expect(scene.account().factors.count, 5, "factors")

      let keyed = try await scene.atOnce(50) { index in
        try await scene.store.enroll(scene.factor("k\(index)", of: "keyed", uniqueKey: [1]), under: conditions)
      }
      try scene.expect(keyed.count { $0 == .enrolled }, 1, "enrolled with one unique key")

      try await scene.activate(scene.challenge("c", of: "phone"))
      var spending = conditions
      spending.challengeID = "c"
      let spent = try await scene.atOnce(50) { [spending] index in
        try await scene.store.enroll(scene.factor("p\(index)", of: "phone"), under: spending)
      }
      try scene.expect(spent.count { $0 == .enrolled }, 1, "enrolled with one challenge")
    },

    Check("messages at once never pass a limit") { scene in
      let limits = try Scene.limits(perNumber: SendLimits.Limit(7, every: 60))
      let outcomes = try await scene.atOnce(50) { index in
        try await scene.open(scene.challenge("c\(index)", of: "user \(index)"), under: limits)
      }
      try scene.expect(outcomes.count { $0 == .opened }, 7, "messages")
    },

    Check("generations raised at once are all different") { scene in
      let generations = try await scene.atOnce(100) { _ in try await scene.store.revokeHandles(of: "user") }
      try scene.expect(generations.sorted(), Array(1...100), "generations")
    },

    Check("a record that is read beside changes is of one moment") { scene in
      let torn = try await scene.atOnce(60) { index -> Bool in
        if index.isMultiple(of: 2) {
          let factors = index.isMultiple(of: 4) ? [] : [scene.factor("f\(index)"), scene.factor("g\(index)")]
          let generation = try await scene.store.replaceFactors(of: "user", with: factors) ?? 0
          _ = try await scene.store.replaceRecoveryCodes(of: "user", with: [[1]], ifGeneration: generation)
        }
        let account = try await scene.account()
        return account.factors.count == 1 || account.factors.isEmpty && account.recoveryCodesRemaining > 0
      }
      try scene.expect(torn.contains(true), false, "half a change in a record")
    },
  ]
}
