import MultiFactor

extension FactorStoreConformance {
  static let persistenceChecks: [Check] = [
    Check("what the store held is there after it is opened again") { checked in
      guard let reopen = checked.reopen else { return }
      let documents: [[UInt8]?] = [
        [1], [], nil, Array(UInt8.min...UInt8.max), [UInt8](repeating: 7, count: 1_048_576), [2],
      ]
      for (number, document) in documents.enumerated() {
        // An earlier document must not reappear.
        try await checked.put([UInt8](repeating: 9, count: 500), under: checked.key([UInt8(number), 0, 0xFF]))
        try await checked.put(document, under: checked.key([UInt8(number), 0, 0xFF]))
      }
      try? await checked.store.update(checked.key([5, 0, 0xFF])) { document in
        document = [3]
        throw CheckedStore.Refusal(number: 0)
      }
      let keys = try await checked.keys()

      let again = try await CheckedStore(store: reopen(checked.store))
      try await again.expect(again.keys(), keys, "keys")
      for (number, document) in documents.enumerated() {
        try await again.expectHeld(document, under: again.key([UInt8(number), 0, 0xFF]), "document \(number)")
      }
    },

    Check("updates at once, and those after it is opened again, all count") { checked in
      guard let reopen = checked.reopen else { return }
      let key = try checked.key("messages")
      var store = checked.store
      for round in 1...3 {
        let checked = CheckedStore(store: store)
        _ = try await checked.atOnce(50) { _ in try await checked.increment(key) }
        store = try await reopen(store)
        try await checked.expect(CheckedStore(store: store).number(key), 50 * round, "updates")
      }
    },

    Check("a store that was emptied or exchanged while it was open has no mark, or says that it is another") {
      checked in
      guard let empty = checked.empty else { return }
      let key = try checked.key("user/a")
      try await checked.put([1], under: .mark)
      try await checked.put([2], under: key)
      try await checked.expectHeld([2], under: key, "a document")
      try await empty(checked.store)
      for key in try [key, checked.key("user/b")] {
        for _ in 0..<3 {
          let read = try? await checked.store.read(key)
          try checked.expect(read?.mark ?? read?.bytes, nil, "what is read")
          let seen = try? await checked.store.change(key) { $0 }
          try checked.expect(seen?.mark ?? seen?.bytes, nil, "what a change sees")
        }
      }
    },
  ]
}
