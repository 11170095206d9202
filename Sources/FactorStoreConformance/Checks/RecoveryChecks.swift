import MultiFactor

extension FactorStoreConformance {
  private static let hashes: [[UInt8]] = [
    Array(repeating: 0, count: 32), Array(repeating: 255, count: 32), [1], [1, 0],
  ]

  static let recoveryChecks: [Check] = [
    Check("a recovery code is accepted once") { scene in
      try await scene.enroll(scene.factor("a"), scene.factor("x", of: "other"))
      try await scene.expect(
        scene.store.replaceRecoveryCodes(of: "user", with: hashes, ifGeneration: 0), true, "codes")
      try await scene.expect(scene.account().recoveryCodesRemaining, hashes.count, "codes left")
      for (index, hash) in hashes.enumerated() {
        let number = try await scene.reserved(.recoveryCodes).number
        try scene.expect(number, UInt64(index + 1), "number")
        try await scene.expect(
          scene.accept(.recoveryCode(hash: hash), of: "other", reservation: number), .replayed, "for another user")
        try await scene.expect(
          scene.accept(.recoveryCode(hash: hash), reservation: number), .accepted, "code \(index)")
        try await scene.expect(scene.account().recoveryCodesRemaining, hashes.count - index - 1, "codes left")
        try await scene.expectUnchanged("a replay") {
          try await scene.expect(
            scene.accept(.recoveryCode(hash: hash), reservation: number), .replayed, "code \(index) again")
        }
      }
      let state = try await scene.account().recoveryAttempts
      try scene.expect([state.attempts, state.cleared, state.acceptances], [4, 4, 4], "attempts, cleared, accepted")
      try await scene.expect(scene.reserve(.recoveryCodes), .notFound, "an attempt without codes")
      try await scene.expect(scene.account().factors, [scene.factor("a")], "factors")
    },

    Check("attempts on recovery codes are counted and limited apart from the factors'") { scene in
      try await scene.enroll(scene.factor("a"))
      _ = try await scene.store.replaceRecoveryCodes(of: "user", with: hashes, ifGeneration: 0)
      let policy = try AttemptPolicy(failuresUntilLock: 2, lockDuration: 60)
      var model = AttemptState()
      for seconds in [0, 1, 2, 60, 61, 62, 121] {
        let decision = model.reserve(at: Scene.time(seconds), under: policy)
        let outcome = try await scene.reserve(.recoveryCodes, at: seconds, under: policy)
        switch decision {
        case .reserved(let number):
          try scene.expect(outcome, .reserved(Reservation(number: number, generation: 0)), "at \(seconds)")
        case .refused(let retryAfter): try scene.expect(outcome, .refused(retryAfter: retryAfter), "at \(seconds)")
        }
        try await scene.expect(scene.account().recoveryAttempts, model, "attempts")
      }
      try await scene.expect(scene.held("a"), scene.factor("a"), "factor")
      try await scene.expect(scene.store.unlock(.recoveryCodes, of: "user"), true, "unlock")
      model.unlock()
      try await scene.expect(scene.account().recoveryAttempts, model, "attempts after unlocking")
    },

    Check("new recovery codes take the place of the old, and clear the failures on them") { scene in
      try await scene.enroll(scene.factor("a"))
      _ = try await scene.store.replaceRecoveryCodes(of: "user", with: [[1], [2]], ifGeneration: 0)
      for _ in 1...3 { _ = try await scene.reserved(.recoveryCodes) }
      try await scene.expect(
        scene.store.replaceRecoveryCodes(of: "user", with: [[2], [3], [4]], ifGeneration: 0), true, "codes")
      let account = try await scene.account()
      try scene.expect(account.recoveryCodesRemaining, 3, "codes left")
      try scene.expect(account.recoveryAttempts.consecutiveFailures, 0, "failures")
      try await scene.expect(scene.accept(.recoveryCode(hash: [1]), reservation: 1), .replayed, "an old code")
      // An attempt of before must not clear one of after.
      try await scene.expect(scene.reserved(.recoveryCodes).number, 4, "number")
      try await scene.expect(scene.accept(.recoveryCode(hash: [2]), reservation: 3), .accepted, "a new code")
      try await scene.expect(scene.account().recoveryAttempts.consecutiveFailures, 1, "failures")
    },

    Check("recovery codes need the generation and a factor") { scene in
      let store = scene.store
      try await scene.expect(
        store.replaceRecoveryCodes(of: "nobody", with: [[1]], ifGeneration: 0), false, "a user who has nothing")
      try await scene.expect(scene.account("nobody"), AccountRecord(userID: "nobody"), "record")
      _ = try await store.revokeHandles(of: "user")
      try await scene.expect(store.replaceRecoveryCodes(of: "user", with: [[1]], ifGeneration: 1), false, "no factor")
      try await scene.enroll(scene.factor("a"))
      try await scene.expect(store.replaceRecoveryCodes(of: "user", with: [[1]], ifGeneration: 1), true, "codes")
      _ = try await scene.reserved(.recoveryCodes)
      try await scene.expectUnchanged("refused codes") {
        for generation: UInt64 in [0, 2] {
          try await scene.expect(
            store.replaceRecoveryCodes(of: "user", with: [[2], [3]], ifGeneration: generation), false, "generation")
        }
      }
      try await scene.expect(scene.accept(.recoveryCode(hash: [1]), generation: 1), .accepted, "the code that was kept")
      try await scene.expect(store.replaceRecoveryCodes(of: "user", with: [[4]], ifGeneration: nil), true, "any")
      try await scene.expect(scene.account().recoveryCodesRemaining, 1, "codes for any generation")
      try await scene.expect(
        store.replaceRecoveryCodes(of: "nobody", with: [[1]], ifGeneration: nil), false, "any, no factor")
      try await scene.expect(scene.account("nobody"), AccountRecord(userID: "nobody"), "record")
    },

    Check("recovery codes can be removed, with the failures on them, in the generation, with or without factors") {
      scene in
      let store = scene.store
      try await scene.enroll(scene.factor("a"))
      for generation: UInt64? in [0, nil] {
        _ = try await store.replaceRecoveryCodes(of: "user", with: [[1], [2]], ifGeneration: 0)
        _ = try await scene.reserved(.recoveryCodes)
        try await scene.expectUnchanged("a refused removal") {
          try await scene.expect(store.replaceRecoveryCodes(of: "user", with: [], ifGeneration: 1), false, "generation")
        }
        try await scene.expect(
          store.replaceRecoveryCodes(of: "user", with: [], ifGeneration: generation), true, "remove")
        try await scene.expect(scene.account().recoveryCodesRemaining, 0, "codes left")
        try await scene.expect(scene.account().recoveryAttempts.consecutiveFailures, 0, "failures")
        try await scene.expect(scene.reserve(.recoveryCodes), .notFound, "an attempt without codes")
        try await scene.expect(scene.accept(.recoveryCode(hash: [1])), .replayed, "a code of before")
      }
      // An attempt of before must not clear one of after.
      _ = try await store.replaceRecoveryCodes(of: "user", with: [[1]], ifGeneration: 0)
      try await scene.expect(scene.reserved(.recoveryCodes).number, 3, "number")

      _ = try await store.revokeHandles(of: "no factor")
      for (userID, generation) in [("no factor", UInt64(1)), ("nobody", 0)] {
        try await scene.expectUnchanged(userID, "removing what is not there") {
          for given in [nil, generation] {
            try await scene.expect(
              store.replaceRecoveryCodes(of: userID, with: [], ifGeneration: given), true, "\(userID), remove")
          }
          try await scene.expect(
            store.replaceRecoveryCodes(of: userID, with: [], ifGeneration: 2), false, "\(userID), generation")
        }
      }
      try await scene.expect(store.accounts(after: nil, limit: 9).map(\.userID), ["no factor", "user"], "users")
    },
  ]
}
