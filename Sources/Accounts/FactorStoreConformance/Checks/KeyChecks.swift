import MultiFactor

extension FactorStoreConformance {
  /// Keys that a comparison not by bytes could treat as equal, or order differently.
  private static let keys: [[UInt8]] = {
    let texts = [
      "a", "A", "b", "B", "aa", "a ", " a", "a\0", "a\0b", "a\0c", "\0", "\0\0", "é", "e\u{301}", "K", "\u{212A}", "ß",
      "ss", "1", "01", "1.0", "10", "9", "-1", "1e0", "%", "_", "'", "\"", "\\", "/", "user/", "user/a", "user/a/b",
      "\u{FFFF}", "\u{10000}", "\u{1F511}", "messages", "store", "NULL",
    ]
    let long = [UInt8](repeating: 0x61, count: DocumentKey.maximumByteCount)
    let longs = [long, Array(long.dropLast()), long.dropLast() + [0x62], long.dropLast() + [0]]
    return texts.map { Array($0.utf8) } + longs
      + [[0xFF], [0xFF, 0], [0xFF, 0xFF], [0xFE], [0x80], [0x7F], [0xC3], [0xC3, 0x28], [0xED, 0xA0, 0x80], [1]]
  }()

  static let keyChecks: [Check] = [
    Check("keys are told apart by each of their bytes, and by nothing else") { checked in
      for (number, bytes) in keys.enumerated() {
        let key = try checked.key(bytes)
        try await checked.expectHeld(nil, under: key, "key \(bytes.prefix(16)) before its document")
        try await checked.put([UInt8(number)], under: key)
      }
      for (number, bytes) in keys.enumerated() {
        try await checked.expect(
          checked.store.document(checked.key(bytes)), [UInt8(number)], "the document under \(bytes.prefix(16))")
      }
      for (number, bytes) in keys.enumerated() where number.isMultiple(of: 2) {
        try await checked.put(nil, under: checked.key(bytes))
      }
      for (number, bytes) in keys.enumerated() {
        try await checked.expectHeld(
          number.isMultiple(of: 2) ? nil : [UInt8(number)], under: checked.key(bytes),
          "key \(bytes.prefix(16)) after others were deleted")
      }
    },

    Check("keys are listed whole, and in the order of their bytes") { checked in
      for bytes in keys { try await checked.put([1], under: checked.key(bytes)) }
      let sorted = try keys.map { try checked.key($0) }.sorted()
      for limit in [keys.count, 7, 1] {
        try await checked.expect(
          checked.keys(limit: limit).map(\.bytes), sorted.map(\.bytes), "keys, by pages of \(limit)")
      }
    },

    Check("a page has the keys after the given one, whether or not that is there") { checked in
      let held = try stride(from: UInt8(10), through: 200, by: 10).map { try checked.key([$0, $0]) }
      for key in held.shuffled() { try await checked.put([], under: key) }
      for byte in UInt8.min...UInt8.max {
        for bytes in [[byte], [byte, byte], [byte, byte, 0], [byte, byte, 0xFF]] {
          let key = try checked.key(bytes)
          let page = try await checked.store.keys(after: key, limit: 3)
          try checked.expect(
            page.map(\.bytes), held.filter { $0 > key }.prefix(3).map(\.bytes), "the page after \(bytes)")
        }
      }
    },

    Check("a page has as many keys as it may, and none for a limit of 0 or less") { checked in
      try await checked.expect(checked.store.keys(after: nil, limit: 9), [], "the keys of an empty store")
      let held = try (0..<12).map { try checked.key([1, $0]) }
      for key in held { try await checked.put([1], under: key) }
      for (limit, count) in [0: 0, -1: 0, .min: 0, 1: 1, 11: 11, 12: 12, 13: 12, .max: 12] {
        try await checked.expect(
          checked.store.keys(after: nil, limit: limit), Array(held.prefix(count)), "the first page, of at most \(limit)"
        )
        try await checked.expect(
          checked.store.keys(after: held[3], limit: limit), Array(held.dropFirst(4).prefix(count)),
          "a page of at most \(limit)")
      }
    },

    Check("pages have every key once, also while others come and go") { checked in
      let held = try (0..<300).map { try checked.key("user/\($0)") }
      for key in held.shuffled() { try await checked.put([1], under: key) }
      let (expected, staying) = (held.sorted(), Set(held))
      for limit in [1, 7, 100, 299, 300] {
        try await checked.expect(checked.keys(limit: limit), expected, "all keys, by pages of \(limit)")
      }
      var (listed, page) = try await ([DocumentKey](), checked.store.keys(after: nil, limit: 10))
      // A bound on the number of pages: on both sides of a page's end, keys are added and later removed.
      for number in 0..<200 where !page.isEmpty {
        listed += page
        for other in ["a\(number)", "user/\(number)+", "z\(number)"] {
          try await checked.put([2], under: checked.key(other))
        }
        for other in number < 5 ? [] : ["a\(number - 5)", "a\(number - 4)", "z\(number - 5)"] {
          try await checked.put(nil, under: checked.key(other))
        }
        page = try await checked.store.keys(after: page.last, limit: 10)
      }
      try checked.expect(
        listed.filter { staying.contains($0) }, expected, "the keys that stay, listed while others come and go")
    },
  ]
}
