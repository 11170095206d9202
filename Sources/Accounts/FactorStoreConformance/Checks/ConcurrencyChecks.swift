import Keyring
import MultiFactor

extension FactorStoreConformance {
  static let concurrencyChecks: [Check] = [
    Check("of many updates of one key at once, none is lost") { checked in
      let key = try checked.key("messages")
      let numbers = try await checked.atOnce(200) { _ in try await checked.increment(key) }
      try checked.expect(numbers.sorted(), Array(1...200), "what the changes returned")
      try await checked.expect(checked.number(key), 200, "what they left")
    },

    Check("of many changes that spend one thing at once, one finds it") { checked in
      for round in 0..<5 {
        let key = try checked.key("user/\(round)")
        try await checked.put([1], under: key)
        let finds = try await checked.atOnce(50) { _ in
          try await checked.store.update(key) { document in
            defer { document = [0] }
            return document == [1]
          }
        }
        try checked.expect(finds.count { $0 }, 1, "changes that found it")
      }
    },

    Check("updates of different keys do not disturb each other") { checked in
      let keys = try (0..<20).map { try checked.key("user/\($0)") }
      _ = try await checked.atOnce(200) { index in try await checked.increment(keys[index % 20]) }
      for key in keys { try await checked.expect(checked.number(key), 10, "updates of one of 20 keys") }
      try await checked.expect(checked.keys(limit: 3), keys.sorted(), "keys")
    },

    Check("documents that come and go at once come as often as they go") { checked in
      let key = try checked.key("user/a")
      let differences = try await checked.atOnce(200) { index in
        try await checked.store.update(key) { document in
          let before = document == nil ? 0 : 1
          document = index.isMultiple(of: 2) ? [1] : nil
          return (document == nil ? 0 : 1) - before
        }
      }
      let document = try await checked.store.document(key)
      try checked.expect(differences.reduce(0, +), document == nil ? 0 : 1, "how often it came more than it went")
      try await checked.expectHeld(document, under: key, "what came and went")
    },

    Check("a change that throws beside others is undone, and only that one") { checked in
      let key = try checked.key("user/a")
      let isMade = try await checked.atOnce(200) { index in
        do {
          guard index.isMultiple(of: 3) else { return try await checked.increment(key) > 0 }
          return try await checked.store.update(key) { document in
            document = nil
            throw CheckedStore.Refusal(number: index)
          }
        } catch let error as CheckedStore.Refusal {
          try checked.expect(error.number, index, "whose error was thrown")
          return false
        }
      }
      try await checked.expect(checked.number(key), isMade.count { $0 }, "updates that have not thrown")
      try checked.expect(isMade.count { $0 }, 133, "updates that have not thrown")
    },

    Check("an update whose task is cancelled is made or not, as it says") { checked in
      let key = try checked.key("user/a")
      try await checked.put([], under: key)
      // Each appends its own number.
      let tasks = (0..<200).map { index in
        Task {
          try await checked.store.update(key) { document in
            document = (document ?? []) + [UInt8(index)]
            return index
          }
        }
      }
      for (index, task) in tasks.enumerated() where !index.isMultiple(of: 3) {
        if index.isMultiple(of: 5) { await Task.yield() }
        task.cancel()
      }
      var made: [UInt8] = []
      for (index, task) in tasks.enumerated() {
        switch await task.result {
        case .success(let result):
          try checked.expect(result, index, "what an update returned")
          made.append(UInt8(index))
        case .failure(let error):
          if index.isMultiple(of: 3) { throw error }
        }
      }
      try await checked.expect(checked.store.document(key)?.sorted(), made, "the updates that say that they were made")
      try await checked.put([1], under: key)
      try await checked.expectHeld([1], under: key, "what a later update left")
    },

    Check("a read beside updates sees a whole document, and never an older one than before") { checked in
      let key = try checked.key("user/a")
      let isWritten = Locked(false)
      _ = try await checked.atOnce(5) { index in
        if index == 0 {
          defer { isWritten.withLock { $0 = true } }
          for number in UInt8(1)...60 { try await checked.put(CheckedStore.document(number), under: key) }
          return
        }
        // The last 20 reads come after all updates.
        var (seen, left) = (UInt8(0), 20)
        while left > 0 {
          if isWritten.withLock({ $0 }) { left -= 1 }
          let document = try await checked.store.document(key)
          let number = document?.first ?? 0
          if number < seen {
            throw CheckedStore.Mismatch(message: "a read sees an older document than the one before it")
          }
          try checked.expect(
            document, number == 0 ? nil : CheckedStore.document(number), "a document, read beside updates")
          seen = number
          // The updates need the same threads.
          await Task.yield()
        }
      }
      try await checked.expectHeld(CheckedStore.document(60), under: key, "the last document")
    },

    Check("a missing document and the mark beside it are read at one moment") { checked in
      let key = try checked.key("user/a")
      try await checked.put([1], under: .mark)
      let isWritten = Locked(false)
      _ = try await checked.atOnce(3) { index in
        if index == 0 {
          defer { isWritten.withLock { $0 = true } }
          // At each moment, there is the document or the mark.
          for _ in 0..<40 {
            for (key, document) in [(key, [2]), (.mark, nil), (.mark, [1]), (key, nil)] as [(DocumentKey, [UInt8]?)] {
              try await checked.put(document, under: key)
              // The reads need the same threads.
              await Task.yield()
            }
          }
        }
        while !isWritten.withLock({ $0 }) {
          let isRead = try await checked.store.read(key).isPresent
          let isSeen = try await checked.store.change(key) { $0.isPresent }
          guard isRead, isSeen else { throw CheckedStore.Mismatch(message: "neither the document nor the mark") }
          await Task.yield()
        }
      }
    },
  ]
}

extension StoredDocument {
  fileprivate var isPresent: Bool { bytes != nil || mark != nil }
}

extension CheckedStore {
  /// A document filled with its number, and shorter for a greater number.
  fileprivate static func document(_ number: UInt8) -> [UInt8] {
    [UInt8](repeating: number, count: 20_000 - Int(number) * 200)
  }
}
