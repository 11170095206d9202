import MultiFactor

extension FactorStoreConformance {
  static let removalChecks: [Check] = [
    Check("removing the factor enrolled last raises the generation, removing another does not") { scene in
      try await scene.enroll(scene.factor("a"), scene.factor("b"), scene.factor("c"))
      let remove = { try await scene.store.removeFactor($0, of: "user", ifGeneration: nil) }
      try await scene.expect(remove("a"), .removed(generation: 0), "the first")
      try await scene.expect(remove("c"), .removed(generation: 1), "the last")
      try await scene.expect(
        scene.account(), AccountRecord(userID: "user", generation: 1, factors: [scene.factor("b")]), "record")
      try await scene.expect(remove("b"), .removed(generation: 2), "the only one")
      try await scene.expect(scene.account(), AccountRecord(userID: "user", generation: 2), "record")
    },

    Check("removing checks the generation first, then whether the factor is the user's") { scene in
      try await scene.enroll(scene.factor("a"), scene.factor("x", of: "other"))
      try await scene.expectUnchanged("other", "a refused removal") {
        try await scene.expectUnchanged("user", "a refused removal") {
          let store = scene.store
          try await scene.expect(store.removeFactor("a", of: "user", ifGeneration: 1), .revoked, "a later generation")
          try await scene.expect(store.removeFactor("no", of: "user", ifGeneration: 1), .revoked, "both wrong")
          try await scene.expect(store.removeFactor("no", of: "user", ifGeneration: 0), .notFound, "no factor")
          try await scene.expect(store.removeFactor("x", of: "user", ifGeneration: nil), .notFound, "another's")
          try await scene.expect(store.removeFactor("a", of: "nobody", ifGeneration: 0), .notFound, "nobody")
          try await scene.expect(store.removeFactor("a", of: "nobody", ifGeneration: 1), .revoked, "nobody, revoked")
        }
      }
      try await scene.expect(
        scene.store.removeFactor("a", of: "user", ifGeneration: 0), .removed(generation: 1), "removal")
      try await scene.expect(
        scene.store.removeFactor("a", of: "user", ifGeneration: nil), .notFound, "once more")
    },

    Check("the recovery codes and their attempts go with the last factor, not before") { scene in
      try await scene.enroll(scene.factor("a"), scene.factor("b"))
      try await scene.expect(
        scene.store.replaceRecoveryCodes(of: "user", with: [[1], [2]], ifGeneration: 0), true, "codes")
      _ = try await scene.reserved(.recoveryCodes)
      _ = try await scene.store.removeFactor("b", of: "user", ifGeneration: nil)
      try await scene.expect(scene.account().recoveryCodesRemaining, 2, "codes while a factor is left")
      try await scene.expect(scene.account().recoveryAttempts.attempts, 1, "attempts while a factor is left")
      _ = try await scene.store.removeFactor("a", of: "user", ifGeneration: nil)
      try await scene.expect(scene.account(), AccountRecord(userID: "user", generation: 2), "record")
      try await scene.enroll(scene.factor("c"))
      try await scene.expect(
        scene.accept(.recoveryCode(hash: [1]), generation: 2), .replayed, "a code of before")
    },

    Check("a factor's challenges go with it, and no others") { scene in
      try await scene.enroll(
        scene.factor("a", kind: .phone), scene.factor("b", kind: .phone), scene.factor("x", of: "other", kind: .phone))
      try await scene.activate(scene.challenge("for a", for: .signIn(factorUID: "a")))
      try await scene.activate(scene.challenge("for b", for: .signIn(factorUID: "b")))
      try await scene.activate(scene.challenge("enrolment"))
      try await scene.activate(scene.challenge("for x", of: "other", for: .signIn(factorUID: "x")))
      _ = try await scene.store.removeFactor("a", of: "user", ifGeneration: nil)
      try await scene.expect(scene.store.activateChallenge("for a", of: "user"), false, "its challenge")
      _ = try await scene.reserved(.phoneFactor(uid: "b", challengeID: "for b"))
      _ = try await scene.reserved(.enrollmentChallenge(id: "enrolment"))
      _ = try await scene.reserved(.phoneFactor(uid: "x", challengeID: "for x"), of: "other")
    },
  ]

  static let replacementChecks: [Check] = [
    Check("replacing puts the factors as they are given, and raises the generation") { scene in
      try await scene.enroll(scene.factor("a"), scene.factor("b", uniqueKey: [1]), scene.factor("x", of: "other"))
      _ = try await scene.store.replaceRecoveryCodes(of: "user", with: [[1]], ifGeneration: 0)
      _ = try await scene.reserved(.recoveryCodes)
      var kept = scene.factor("b", uniqueKey: [1])
      kept.lastAccepted = 9
      kept.attempts = AttemptState(attempts: 3, cleared: 1, acceptances: 1, lastAttempt: Scene.time(-5))
      let new = [scene.factor("c"), kept]
      try await scene.expectUnchanged("other", "replacing another's factors") {
        try await scene.expect(scene.store.replaceFactors(of: "user", with: new), 1, "generation")
      }
      try await scene.expect(
        scene.account(), AccountRecord(userID: "user", generation: 1, factors: new), "record")
      try await scene.expect(
        scene.store.enroll(scene.factor("c", of: "other"), under: Scene.anyConditions), .alreadyEnrolled, "a new name")
    },

    Check("a spent code stays spent where its secret is put in its own place") { scene in
      try await scene.enroll(
        scene.factor("a", uniqueKey: [1]), scene.factor("b", uniqueKey: [2]), scene.factor("c", uniqueKey: [3]),
        scene.factor("d"))
      for uid in ["a", "b", "c", "d"] {
        try await scene.expect(scene.accept(.position(.max - 5, drift: 1, factorUID: uid)), .accepted, "accept")
      }
      let at = { (uid: String, key: [UInt8]?, position: UInt64?) in
        var factor = scene.factor(uid, uniqueKey: key)
        factor.lastAccepted = position
        return factor
      }
      // Not in the order of before, one of them under its old name.
      let new = [at("h", [9], nil), at("g", nil, nil), at("f", [2], 7), at("c", [3], .max), at("e", [1], nil)]
      try await scene.expect(scene.store.replaceFactors(of: "user", with: new), 1, "generation")
      for uid in ["e", "f"] {
        try await scene.expect(
          scene.accept(.position(.max - 5, drift: 0, factorUID: uid), generation: 1), .replayed, "the same secret")
      }
      let expected: [UInt64?] = [nil, nil, .max - 5, .max, .max - 5]
      try await scene.expect(scene.account().factors.map(\.lastAccepted), expected, "accepted last")
      var kept = new
      for (index, position) in expected.enumerated() { kept[index].lastAccepted = position }
      try await scene.expect(
        scene.account(), AccountRecord(userID: "user", generation: 1, factors: kept), "all else as it is given")
      // Only what was replaced just now counts.
      try await scene.expect(scene.store.replaceFactors(of: "user", with: [at("i", [8], nil)]), 2, "generation")
      try await scene.expect(scene.store.replaceFactors(of: "user", with: [at("j", [1], nil)]), 3, "generation")
      try await scene.expect(scene.held("j").lastAccepted, nil, "accepted last, by one that was gone before")
    },

    Check("replacing leaves neither recovery codes nor their attempts") { scene in
      try await scene.enroll(scene.factor("t", of: "third"))
      _ = try await scene.store.replaceRecoveryCodes(of: "third", with: [[1]], ifGeneration: 0)
      _ = try await scene.reserved(.recoveryCodes, of: "third")
      let new = [scene.factor("u", of: "third")]
      try await scene.expect(scene.store.replaceFactors(of: "third", with: new), 1, "generation")
      try await scene.expect(
        scene.account("third"), AccountRecord(userID: "third", generation: 1, factors: new), "record")
      try await scene.expect(
        scene.accept(.recoveryCode(hash: [1]), of: "third", generation: 1), .replayed, "a code of before")

      try await scene.enroll(scene.factor("a"))
      _ = try await scene.store.replaceRecoveryCodes(of: "user", with: [[1]], ifGeneration: 0)
      _ = try await scene.reserved(.recoveryCodes)
      try await scene.expect(scene.store.replaceFactors(of: "user", with: []), 1, "generation")
      try await scene.expect(scene.account(), AccountRecord(userID: "user", generation: 1), "record")
      try await scene.expect(scene.store.replaceFactors(of: "nobody", with: []), 1, "generation of one who has nothing")
    },

    Check("replacing removes all of the user's challenges") { scene in
      try await scene.enroll(scene.factor("a", kind: .phone))
      try await scene.activate(scene.challenge("sign-in", for: .signIn(factorUID: "a")))
      try await scene.activate(scene.challenge("enrolment"))
      try await scene.activate(scene.challenge("another's", of: "other"))
      try await scene.expect(
        scene.store.replaceFactors(of: "user", with: [scene.factor("a", kind: .phone)]), 1, "generation")
      try await scene.expect(
        scene.reserve(.phoneFactor(uid: "a", challengeID: "sign-in")), .challengeNotFound, "sign-in challenge")
      try await scene.expect(
        scene.reserve(.enrollmentChallenge(id: "enrolment")), .challengeNotFound, "enrolment challenge")
      _ = try await scene.reserved(.enrollmentChallenge(id: "another's"), of: "other")
    },

    Check("replacing refuses factors that exclude one another, and changes nothing") { scene in
      try await scene.enroll(scene.factor("gone"), scene.factor("gone too", of: "other"))
      try await scene.enroll(scene.factor("a"), scene.factor("x", of: "other", uniqueKey: [7]))
      _ = try await scene.store.removeFactor("gone", of: "user", ifGeneration: nil)
      _ = try await scene.store.removeFactor("gone too", of: "other", ifGeneration: nil)
      try await scene.activate(scene.challenge("c"))
      let refused: [(String, [FactorRecord])] = [
        ("one name twice", [scene.factor("b"), scene.factor("b")]),
        ("one unique key twice", [scene.factor("b", uniqueKey: [1]), scene.factor("c", uniqueKey: [1])]),
        ("a factor of another user", [scene.factor("b"), scene.factor("c", of: "other")]),
        ("a name that another user has", [scene.factor("b"), scene.factor("x")]),
        ("a name that the user had", [scene.factor("a"), scene.factor("gone")]),
        ("a name that another user had", [scene.factor("a"), scene.factor("gone too")]),
      ]
      for (what, factors) in refused {
        try await scene.expectUnchanged("other", what) {
          try await scene.expectUnchanged("user", what) {
            try await scene.expect(scene.store.replaceFactors(of: "user", with: factors), nil, what)
          }
        }
      }
      _ = try await scene.reserved(.enrollmentChallenge(id: "c"))
      try await scene.expect(
        scene.store.replaceFactors(of: "user", with: [scene.factor("b", uniqueKey: [7])]), 1, "another's unique key")
    },
  ]
}
