import MultiFactor

extension FactorStoreConformance {
  static let persistenceChecks: [Check] = [
    Check("what the store held is there after it is opened again") { scene in
      guard let reopen = scene.reopen else { return }
      let documents: [[UInt8]?] = [
        [1], [], nil, Array(UInt8.min...UInt8.max), [UInt8](repeating: 7, count: 1_048_576), [2],
      ]
      for (number, document) in documents.enumerated() {
        // An earlier document must not reappear.
        try await scene.put([UInt8](repeating: 9, count: 500), under: scene.key([UInt8(number), 0, 0xFF]))
        try await scene.put(document, under: scene.key([UInt8(number), 0, 0xFF]))
      }
      try? await scene.store.update(scene.key([5, 0, 0xFF])) { document in
        document = [3]
        throw Scene.Refusal(number: 0)
      }
      let keys = try await scene.keys()

      let again = try await Scene(store: reopen(scene.store), reopen: nil)
      try await again.expect(again.keys(), keys, "keys")
      for (number, document) in documents.enumerated() {
        try await again.expectHeld(document, under: again.key([UInt8(number), 0, 0xFF]), "document \(number)")
      }
    },

    Check("updates at once, and those after it is opened again, all count") { scene in
      guard let reopen = scene.reopen else { return }
      let key = try scene.key("messages")
      var store = scene.store
      for round in 1...3 {
        let scene = Scene(store: store, reopen: nil)
        _ = try await scene.atOnce(50) { _ in try await scene.increment(key) }
        store = try await reopen(store)
        try await scene.expect(Scene(store: store, reopen: nil).number(key), 50 * round, "updates")
      }
    },
  ]
}
