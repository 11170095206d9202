import MultiFactor

extension FactorStoreConformance {
  static let challengeChecks: [Check] = [
    Check("a challenge comes back as it was opened, and is not active before it is made so") { scene in
      var challenge = scene.challenge("c", of: "user\u{0}")
      challenge.isActive = true
      try await scene.expect(scene.open(challenge), .opened, "open")
      try await scene.expect(
        scene.reserve(.enrollmentChallenge(id: "c"), of: "user\u{0}"), .challengeNotFound, "before")
      try await scene.expect(scene.store.activateChallenge("c", of: "user"), false, "activate another's")
      try await scene.expect(scene.store.activateChallenge("d", of: "user\u{0}"), false, "activate none")
      try await scene.expect(
        scene.reserve(.enrollmentChallenge(id: "c"), of: "user\u{0}"), .challengeNotFound, "before")
      try await scene.expect(scene.store.activateChallenge("c", of: "user\u{0}"), true, "activate")
      challenge.tries = 1
      try await scene.expect(
        scene.reserved(.enrollmentChallenge(id: "c"), of: "user\u{0}").challenge, challenge, "challenge")
    },

    Check("opening a challenge leaves the live one alone; making it active removes that one") { scene in
      try await scene.enroll(scene.factor("a", kind: .phone))
      for (number, purpose) in [(UInt8(1), ChallengeRecord.Purpose.enrollment), (2, .signIn(factorUID: "a"))] {
        let target = { (id: String) -> AttemptTarget in
          purpose == .enrollment ? .enrollmentChallenge(id: id) : .phoneFactor(uid: "a", challengeID: id)
        }
        try await scene.activate(scene.challenge("old \(purpose)", for: purpose, number: number))
        try await scene.expect(
          scene.open(scene.challenge("unsent \(purpose)", for: purpose, number: number)), .opened, "open")
        try await scene.expect(
          scene.open(scene.challenge("new \(purpose)", for: purpose, number: number)), .opened, "open")
        _ = try await scene.reserved(target("old \(purpose)"))
        try await scene.expect(scene.store.activateChallenge("new \(purpose)", of: "user"), true, "activate")
        try await scene.expect(scene.reserve(target("old \(purpose)")), .challengeNotFound, "the old one")
        try await scene.expect(
          scene.store.activateChallenge("unsent \(purpose)", of: "user"), false, "one that was never active")
        _ = try await scene.reserved(target("new \(purpose)"))
      }
    },

    Check("making a challenge active removes none for another purpose or user") { scene in
      try await scene.enroll(scene.factor("a", kind: .phone), scene.factor("b", kind: .phone))
      try await scene.activate(scene.challenge("for a", for: .signIn(factorUID: "a")))
      try await scene.activate(scene.challenge("for b", for: .signIn(factorUID: "b")))
      try await scene.activate(scene.challenge("enrolment"))
      try await scene.activate(scene.challenge("another's", of: "other"))
      try await scene.activate(scene.challenge("for b again", for: .signIn(factorUID: "b")))
      _ = try await scene.reserved(.phoneFactor(uid: "a", challengeID: "for a"))
      _ = try await scene.reserved(.phoneFactor(uid: "b", challengeID: "for b again"))
      _ = try await scene.reserved(.enrollmentChallenge(id: "enrolment"))
      _ = try await scene.reserved(.enrollmentChallenge(id: "another's"), of: "other")
    },

    Check("what is opened later does not make a fresh or just expired challenge vanish") { scene in
      try await scene.activate(scene.challenge("fresh", expiry: 10_000))
      try await scene.activate(scene.challenge("late", of: "other", expiry: 300))
      try await scene.expect(scene.open(scene.challenge("x", of: "third"), at: 400), .opened, "open")
      _ = try await scene.reserved(.enrollmentChallenge(id: "fresh"), at: 400)
      try await scene.expect(
        scene.reserve(.enrollmentChallenge(id: "late"), of: "other", at: 400), .challengeExpired, "expired")
    },
  ]
}
