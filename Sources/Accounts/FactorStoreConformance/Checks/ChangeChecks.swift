import MultiFactor

extension FactorStoreConformance {
  static let changeChecks: [Check] = [
    Check("a change sees what the one before it left, and what it returns is returned") { checked in
      let key = try checked.key("user/a")
      for number in UInt8(0)..<20 {
        let before: [UInt8]? = number == 0 ? nil : [number - 1]
        let seen = try await checked.store.update(key) { document in
          defer { document = [number] }
          return document
        }
        try checked.expect(seen, before, "what change \(number) saw")
      }
      let text = try await checked.store.update(key) { _ in "a result of any type" }
      try checked.expect(text, "a result of any type", "the result")
      let none = try await checked.store.update(key) { _ in Int?.none }
      try checked.expect(none, nil, "a result that is nil")
    },

    Check("a change counts once, however often it runs") { checked in
      let key = try checked.key("user/a")
      for number in 1...20 {
        try await checked.expect(checked.increment(key), number, "what the change returned")
        try await checked.expect(checked.number(key), number, "what it left")
      }
    },

    Check("a change that throws changes nothing, and its own error comes out") { checked in
      let (key, other) = try (checked.key("user/a"), checked.key("user/b"))
      try await checked.put([1, 2, 3], under: key)
      for (number, left) in ([[9], [], nil, [1, 2, 3]] as [[UInt8]?]).enumerated() {
        for (key, before) in [(key, [1, 2, 3]), (other, nil)] as [(DocumentKey, [UInt8]?)] {
          let refusal = CheckedStore.Refusal(number: number)
          do {
            try await checked.store.update(key) { document in
              document = left
              throw refusal
            }
            throw CheckedStore.Mismatch(message: "a change threw, but the update did not")
          } catch let error as CheckedStore.Refusal {
            try checked.expect(error, refusal, "what was thrown")
          } catch let error as CheckedStore.Mismatch {
            throw error
          } catch {
            throw CheckedStore.Mismatch(message: "\(error) was thrown instead of the change's own error")
          }
          try await checked.expectHeld(before, under: key, "what a change that throws was given")
        }
      }
      try await checked.put([4], under: key)
      try await checked.expectHeld([4], under: key, "what the next change left")
    },

    Check("a change that leaves the document as it was changes nothing") { checked in
      for (number, document) in ([nil, [], [1, 2, 3]] as [[UInt8]?]).enumerated() {
        let key = try checked.key("user/\(number)")
        try await checked.put(document, under: key)
        for _ in 0..<3 {
          let count = try await checked.store.update(key) { document in
            // The same bytes, elsewhere.
            document = document.map { $0.map { $0 } }
            return document?.count
          }
          try checked.expect(count, document?.count, "what the change returned")
          try await checked.expectHeld(document, under: key, "the document")
        }
      }
    },
  ]
}
