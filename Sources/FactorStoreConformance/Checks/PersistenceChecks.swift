import MultiFactor

extension FactorStoreConformance {
  static let persistenceChecks: [Check] = [
    Check("what was changed is there after the store is opened again") { scene in
      guard let reopen = scene.reopen else { return }
      try await scene.enroll(scene.factor("a", kind: .phone, uniqueKey: [1]), scene.factor("gone"), scene.factor("b"))
      _ = try await scene.store.removeFactor("gone", of: "user", ifGeneration: nil)
      _ = try await scene.store.revokeHandles(of: "user")
      _ = try await scene.store.replaceRecoveryCodes(of: "user", with: [[1], [2]], ifGeneration: 1)
      _ = try await scene.reserved(.recoveryCodes)
      try await scene.expect(scene.accept(.recoveryCode(hash: [1]), generation: 1), .accepted, "a recovery code")
      let number = try await scene.reserved(.factor(uid: "b")).number
      _ = try await scene.reserved(.factor(uid: "b"))
      try await scene.expect(
        scene.accept(.position(.max - 1, drift: -2, factorUID: "b"), reservation: number, generation: 1), .accepted,
        "a position")
      try await scene.activate(scene.challenge("c", for: .signIn(factorUID: "a")))
      let limits = try Scene.limits(perUser: SendLimits.Limit(2, every: 60))
      try await scene.expect(scene.open(scene.challenge("inactive"), under: limits), .opened, "open")
      let before = try await scene.account()

      let again = try await Scene(store: reopen(scene.store), reopen: nil)
      try await again.expect(again.account(), before, "record")
      try await again.expect(again.store.accounts(after: nil, limit: 9), [before], "accounts")
      try await again.expect(
        again.store.enroll(again.factor("gone"), under: Scene.anyConditions), .alreadyEnrolled, "a name of before")
      try await again.expect(
        again.accept(.position(.max - 1, drift: 0, factorUID: "b"), generation: 1), .replayed, "the same position")
      try await again.expect(
        again.accept(.recoveryCode(hash: [1]), generation: 1), .replayed, "the same recovery code")
      try await again.expect(
        again.open(again.challenge("x"), under: limits), .refused(retryAfter: Scene.time(60)), "one message too many")
      try await again.expect(
        again.reserved(.phoneFactor(uid: "a", challengeID: "c")).challenge?.tries, 1, "tries of the challenge")
      try await again.expect(again.store.activateChallenge("inactive", of: "user"), true, "activate")
    }
  ]
}
