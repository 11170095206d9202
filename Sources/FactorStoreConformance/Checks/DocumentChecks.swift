import MultiFactor

extension FactorStoreConformance {
  static let documentChecks: [Check] = [
    Check("there is no document until one is left") { scene in
      let key = try scene.key("user/a")
      try await scene.expectHeld(nil, under: key, "nothing")
      try await scene.put([1], under: key)
      try await scene.expectHeld([1], under: key, "the first document")
      try await scene.expectHeld(nil, under: scene.key("user/b"), "nothing under another key")
    },

    Check("what a change leaves is there when its update has returned") { scene in
      let key = try scene.key("user/a")
      for number in UInt8(0)...50 {
        try await scene.put([number], under: key)
        try await scene.expectHeld([number], under: key, "document \(number)")
      }
    },

    Check("nil deletes a document, which can come back") { scene in
      let (key, other) = try (scene.key("user/a"), scene.key("user/b"))
      try await scene.put([2], under: other)
      for number in UInt8(0)..<5 {
        try await scene.put([number], under: key)
        try await scene.put(nil, under: key)
        try await scene.expectHeld(nil, under: key, "what was deleted")
        try await scene.put(nil, under: key)
        try await scene.expectHeld(nil, under: key, "what was deleted twice")
      }
      try await scene.put([1], under: key)
      try await scene.expectHeld([1], under: key, "what has come back")
      try await scene.expectHeld([2], under: other, "what was beside it")
    },

    Check("an empty document is a document") { scene in
      let key = try scene.key("user/a")
      try await scene.put([], under: key)
      try await scene.expectHeld([], under: key, "an empty document")
      try await scene.put([1], under: key)
      try await scene.put([], under: key)
      try await scene.expectHeld([], under: key, "an emptied document")
      try await scene.put(nil, under: key)
      try await scene.expectHeld(nil, under: key, "a deleted empty document")
    },

    Check("a document keeps every byte, in every place") { scene in
      let all = Array(UInt8.min...UInt8.max)
      let documents = [all, Array(all.reversed()), [0, 1], [1, 0], [0x80, 0, 0xC3]] + all.map { [$0] }
      for (index, document) in documents.enumerated() {
        let key = try scene.key("user/\(index)")
        try await scene.put(document, under: key)
        try await scene.expect(scene.store.document(key), document, "document \(index)")
      }
    },

    Check("a document of up to a mebibyte is kept, and replaced whole") { scene in
      let key = try scene.key("user/a")
      for count in [300, 1000, 4096, 65_536, 1, 1_048_576, 5000, 65_535, 0, 1_048_576] {
        // With a period that does not divide any block size.
        var document = Array(UInt8(0)...250)
        while document.count < count { document += document }
        document.removeLast(document.count - count)
        try await scene.put(document, under: key)
        try await scene.expectHeld(document, under: key, "a document of \(count) bytes")
      }
      try await scene.put([7], under: key)
      try await scene.expectHeld([7], under: key, "a document after a large one")
    },
  ]
}
