import MultiFactor

extension FactorStoreConformance {
  /// Names that some comparison takes for one another.
  private static let similarNames = [
    "user", "USER", "user ", "user\u{0}", "user\u{0}a", "us\u{E9}r", "use\u{301}r", "\u{212B}", "A\u{30A}", "\u{C5}",
    "K",
    "\u{212A}", "\u{FEFF}user", "1", "1.0", "01", "%", "_",
  ]

  static let accountChecks: [Check] = [
    Check("a user who has nothing has an empty record") { scene in
      try await scene.expect(scene.account("nobody"), AccountRecord(userID: "nobody"), "record")
      try await scene.expect(scene.store.accounts(after: nil, limit: 10), [], "accounts")
    },

    Check("a record comes back as it was enrolled") { scene in
      let full = FactorRecord(
        userID: "user", uid: "full", kind: .phone, displayName: "Ä\u{0} \u{1F511}", enrollmentDate: Scene.time(-7),
        sealed: Array(0...255), uniqueKey: [0, 255, 0], lastAccepted: .max, drift: -3,
        attempts: AttemptState(attempts: .max - 1, cleared: 1 << 63, acceptances: 7, lastAttempt: Scene.time(-1)))
      let bare = FactorRecord(
        userID: "user", uid: "bare", kind: .hotp, displayName: nil, enrollmentDate: Scene.time(0), sealed: [0])
      let empty = FactorRecord(
        userID: "user", uid: "empty", kind: .totp, displayName: "", enrollmentDate: Scene.time(-9), sealed: [0],
        uniqueKey: [1], lastAccepted: 0, drift: 4)
      try await scene.enroll(full, bare, empty)
      try await scene.expect(
        scene.account(), AccountRecord(userID: "user", factors: [full, bare, empty]), "record")
    },

    Check("names are told apart byte by byte") { scene in
      for (index, name) in similarNames.enumerated() {
        try await scene.enroll(scene.factor("factor \(index)", of: name))
      }
      for (index, name) in similarNames.enumerated() {
        let record = try await scene.account(name)
        try scene.expect(Array(record.userID.utf8), Array(name.utf8), "user ID")
        try scene.expect(record.factors.map(\.uid), ["factor \(index)"], "factors of \(name.debugDescription)")
      }
      try await scene.enroll(scene.factor("K", of: "x"), scene.factor("\u{212A}", of: "y"))
      try await scene.expect(
        scene.store.removeFactor("\u{212A}", of: "x", ifGeneration: nil), .notFound, "another's factor")
    },

    Check("accounts come page by page, in the order of their IDs' bytes") { scene in
      let names = similarNames.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      for name in similarNames { _ = try await scene.store.revokeHandles(of: name) }
      for limit in [1, 2, names.count - 1, names.count, names.count + 1] {
        var pages: [[AccountRecord]] = []
        var after: String?
        while true {
          let page = try await scene.store.accounts(after: after, limit: limit)
          guard let last = page.last else { break }
          guard pages.count <= names.count else { throw Scene.Mismatch(message: "the pages do not end") }
          pages.append(page)
          after = last.userID
        }
        try scene.expect(
          pages.joined().map { Array($0.userID.utf8) }, names.map { Array($0.utf8) }, "IDs, \(limit) a page")
        try scene.expect(pages.dropLast().allSatisfy { $0.count == limit }, true, "full pages of \(limit)")
      }
      try await scene.expect(
        scene.store.accounts(after: "u", limit: 100).first?.userID, "user",
        "the first after one who is not there")
    },

    Check("a page holds whole records") { scene in
      try await scene.enroll(scene.factor("a", of: "1"), scene.factor("b", of: "1"), scene.factor("c", of: "2"))
      _ = try await scene.store.replaceRecoveryCodes(of: "2", with: [[1], [2]], ifGeneration: 0)
      _ = try await scene.reserved(.recoveryCodes, of: "2")
      try await scene.expect(
        scene.store.accounts(after: nil, limit: 10), [scene.account("1"), scene.account("2")], "page")
    },

    Check("challenges and messages alone make no record") { scene in
      try await scene.activate(scene.challenge("c"))
      try await scene.expect(scene.account(), AccountRecord(userID: "user"), "record")
      try await scene.expect(scene.store.accounts(after: nil, limit: 10), [], "accounts")
    },

    Check("revoking handles raises the generation, also of a user who has nothing") { scene in
      try await scene.expect(scene.store.revokeHandles(of: "nobody"), 1, "generation")
      try await scene.expect(scene.store.revokeHandles(of: "nobody"), 2, "generation")
      try await scene.expect(scene.account("nobody"), AccountRecord(userID: "nobody", generation: 2), "record")
      try await scene.enroll(scene.factor("a"))
      try await scene.expectUnchanged("nobody", "revoking another's handles") {
        try await scene.expect(scene.store.revokeHandles(of: "user"), 1, "generation")
      }
      try await scene.expect(scene.account().factors, [scene.factor("a")], "factors")
    },

    Check("a sealed value is replaced if it still is the one that was read") { scene in
      try await scene.enroll(scene.factor("a"), scene.factor("b"), scene.factor("c", of: "other"))
      let old = scene.factor("a").sealed
      try await scene.expectUnchanged("other", "resealing another's factor") {
        try await scene.expect(scene.store.reseal("a", of: "other", from: old, to: [9]), false, "another's factor")
        try await scene.expectUnchanged("user", "resealing in vain") {
          try await scene.expect(scene.store.reseal("a", of: "user", from: [1], to: [9]), false, "another value")
          try await scene.expect(scene.store.reseal("no", of: "user", from: old, to: [9]), false, "no factor")
          try await scene.expect(scene.store.reseal("a", of: "nobody", from: old, to: [9]), false, "nobody")
        }
        _ = try await scene.reserved(.factor(uid: "a"))
        var expected = try await scene.account()
        expected.factors[0].sealed = [9]
        try await scene.expect(scene.store.reseal("a", of: "user", from: old, to: [9]), true, "reseal")
        try await scene.expect(scene.account(), expected, "record")
      }
    },
  ]
}
