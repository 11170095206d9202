import MultiFactor

extension FactorStoreConformance {
  static let documentChecks: [Check] = [
    Check("there is no document until one is left") { checked in
      let key = try checked.key("user/a")
      try await checked.expectHeld(nil, under: key, "nothing")
      try await checked.put([1], under: key)
      try await checked.expectHeld([1], under: key, "the first document")
      try await checked.expectHeld(nil, under: checked.key("user/b"), "nothing under another key")
    },

    Check("a document is missing only beside the store's mark") { checked in
      let key = try checked.key("user/a")
      for mark in [nil, [1], [], [2, 3], nil, [4]] as [[UInt8]?] {
        try await checked.put(mark, under: .mark)
        try await checked.expect(checked.store.read(key).mark, mark, "the mark that is read")
        try await checked.expect(checked.store.change(key) { $0.mark }, mark, "the mark that a change sees")
      }
      try await checked.put([1], under: key)
      try await checked.expect(checked.store.read(key).bytes, [1], "a document beside the mark")
      try await checked.expect(checked.store.document(.mark), [4], "the mark")
    },

    Check("what a change leaves is there when its update has returned") { checked in
      let key = try checked.key("user/a")
      for number in UInt8(0)...50 {
        try await checked.put([number], under: key)
        try await checked.expectHeld([number], under: key, "document \(number)")
      }
    },

    Check("nil deletes a document, which can come back") { checked in
      let (key, other) = try (checked.key("user/a"), checked.key("user/b"))
      try await checked.put([2], under: other)
      for number in UInt8(0)..<5 {
        try await checked.put([number], under: key)
        try await checked.put(nil, under: key)
        try await checked.expectHeld(nil, under: key, "what was deleted")
        try await checked.put(nil, under: key)
        try await checked.expectHeld(nil, under: key, "what was deleted twice")
      }
      try await checked.put([1], under: key)
      try await checked.expectHeld([1], under: key, "what has come back")
      try await checked.expectHeld([2], under: other, "what was beside it")
    },

    Check("an empty document is a document") { checked in
      let key = try checked.key("user/a")
      try await checked.put([], under: key)
      try await checked.expectHeld([], under: key, "an empty document")
      try await checked.put([1], under: key)
      try await checked.put([], under: key)
      try await checked.expectHeld([], under: key, "an emptied document")
      try await checked.put(nil, under: key)
      try await checked.expectHeld(nil, under: key, "a deleted empty document")
    },

    Check("a document keeps every byte, in every place") { checked in
      let all = Array(UInt8.min...UInt8.max)
      let documents = [all, Array(all.reversed()), [0, 1], [1, 0], [0x80, 0, 0xC3]] + all.map { [$0] }
      for (index, document) in documents.enumerated() {
        let key = try checked.key("user/\(index)")
        try await checked.put(document, under: key)
        try await checked.expect(checked.store.document(key), document, "document \(index)")
      }
    },

    Check("a document of up to a mebibyte is kept, and replaced whole") { checked in
      let key = try checked.key("user/a")
      for count in [300, 1000, 4096, 65_536, 1, 1_048_576, 5000, 65_535, 0, 1_048_576] {
        // With a period that does not divide any block size.
        var document = Array(UInt8(0)...250)
        while document.count < count { document += document }
        document.removeLast(document.count - count)
        try await checked.put(document, under: key)
        try await checked.expectHeld(document, under: key, "a document of \(count) bytes")
      }
      try await checked.put([7], under: key)
      try await checked.expectHeld([7], under: key, "a document after a large one")
    },
  ]
}
