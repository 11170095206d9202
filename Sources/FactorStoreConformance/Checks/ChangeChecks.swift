import MultiFactor

extension FactorStoreConformance {
  static let changeChecks: [Check] = [
    Check("a change sees what the one before it left, and what it returns is returned") { scene in
      let key = try scene.key("user/a")
      for number in UInt8(0)..<20 {
        let before: [UInt8]? = number == 0 ? nil : [number - 1]
        let seen = try await scene.store.update(key) { document in
          defer { document = [number] }
          return document
        }
        try scene.expect(seen, before, "what change \(number) saw")
      }
      let text = try await scene.store.update(key) { _ in "a result of any type" }
      try scene.expect(text, "a result of any type", "the result")
      let none = try await scene.store.update(key) { _ in Int?.none }
      try scene.expect(none, nil, "a result that is nil")
    },

    Check("a change counts once, however often it runs") { scene in
      let key = try scene.key("user/a")
      for number in 1...20 {
        try await scene.expect(scene.increment(key), number, "what the change returned")
        try await scene.expect(scene.number(key), number, "what it left")
      }
    },

    Check("a change that throws changes nothing, and its own error comes out") { scene in
      let (key, other) = try (scene.key("user/a"), scene.key("user/b"))
      try await scene.put([1, 2, 3], under: key)
      for (number, left) in ([[9], [], nil, [1, 2, 3]] as [[UInt8]?]).enumerated() {
        for (key, before) in [(key, [1, 2, 3]), (other, nil)] as [(DocumentKey, [UInt8]?)] {
          let refusal = Scene.Refusal(number: number)
          do {
            try await scene.store.update(key) { document in
              document = left
              throw refusal
            }
            throw Scene.Mismatch(message: "a change threw, but the update did not")
          } catch let error as Scene.Refusal {
            try scene.expect(error, refusal, "what was thrown")
          } catch let error as Scene.Mismatch {
            throw error
          } catch {
            throw Scene.Mismatch(message: "\(error) was thrown instead of the change's own error")
          }
          try await scene.expectHeld(before, under: key, "what a change that throws was given")
        }
      }
      try await scene.put([4], under: key)
      try await scene.expectHeld([4], under: key, "what the next change left")
    },

    Check("a change that leaves the document as it was changes nothing") { scene in
      for (number, document) in ([nil, [], [1, 2, 3]] as [[UInt8]?]).enumerated() {
        let key = try scene.key("user/\(number)")
        try await scene.put(document, under: key)
        for _ in 0..<3 {
          let count = try await scene.store.update(key) { document in
            // The same bytes, elsewhere.
            document = document.map { $0.map { $0 } }
            return document?.count
          }
          try scene.expect(count, document?.count, "what the change returned")
          try await scene.expectHeld(document, under: key, "the document")
        }
      }
    },
  ]
}
