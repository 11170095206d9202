import Keyring
import MultiFactorOperations
import Testing

@testable import MultiFactor

/// Copying all documents of a store to another, which is usable only once all have been copied.
@Suite struct StoreCopyTests {
  /// Stores enough users' documents for several pages.
  private func fill(_ store: any FactorStore, _ count: Int = 600) async throws {
    for number in 0..<count {
      try await store.update(.user("bulk\(number)")) { $0 = [UInt8(truncatingIfNeeded: number)] }
    }
  }

  /// The kind of error that a copy throws; `nil` if it throws none.
  private func refusal(_ source: any FactorStore, _ copy: any FactorStore, _ keyring: Keyring) async throws
    -> ConfigurationError.Kind?
  {
    do {
      try await source.copy(to: copy, keyring: keyring)
      return nil
    } catch let error as ConfigurationError {
      return error.kind
    }
  }

  @Test(arguments: StoreKind.available)
  func `Every document is copied byte for byte, and users can sign in on the copy`(on kind: StoreKind) async throws {
    let (host, user, key, uid) = try await Host.withApp(kind)
    _ = try await host.enrollPhone(as: user)
    try await fill(host.store)
    let copy = try TestStore(kind)
    let before = try await documents(of: host.store)
    #expect(try await host.store.copy(to: copy, keyring: host.keyring) == before.count - 1)
    #expect(try await documents(of: copy) == before)
    let moved = try await Host(store: copy, keyring: host.keyring)
    moved.clock.advance(by: 30)
    _ = try await moved.resolve(uid, code: moved.code(of: key))
  }

  @Test(arguments: StoreKind.available)
  func `A copy interrupted at any call is not usable as a store, and can be completed`(on kind: StoreKind) async throws
  {
    let host = try await Host(kind)
    _ = try await host.enrollTOTP()
    try await fill(host.store, 3)
    let whole = try await documents(of: host.store)
    let copy = try TestStore(kind)
    for fault in TestStore.Fault.allCases {
      for call in 1... {
        copy.fail(atCall: call, fault)
        do {
          try await host.store.copy(to: copy, keyring: host.keyring)
        } catch {
          #expect(error is TestStore.Failure || fault == .failsAfter, "\(call): \(error)")
        }
        let (_, hasFailed) = copy.recover()
        let mark = try await copy.document(.mark)
        if let mark, mark == whole[.mark] {
          #expect(try await documents(of: copy) == whole)
          break
        }
        #expect(hasFailed)
        if mark != nil {
          await #expect(throws: ConfigurationError(.incompleteCopy, "store")) {
            _ = try await Host(store: copy, keyring: host.keyring)
          }
          await #expect(throws: ConfigurationError(.incompleteCopy, "store")) {
            _ = try await Host(store: copy, keyring: Keyring())
          }
          #expect(try await refusal(copy, InMemoryFactorStore(), host.keyring) == .incompleteCopy)
        }
      }
      for key in whole.keys { try await copy.update(key) { $0 = nil } }
    }
  }

  @Test(arguments: StoreKind.available)
  func `A document that changed since the interruption is copied as it now is`(on kind: StoreKind) async throws {
    let host = try await Host(kind)
    try await fill(host.store, 5)
    let copy = try TestStore(kind)
    copy.fail(atCall: 9, .failsBefore)
    await #expect(throws: TestStore.Failure.self) { try await host.store.copy(to: copy, keyring: host.keyring) }
    copy.recover()
    try await host.store.update(.user("bulk0")) { $0 = [9, 9] }
    try await host.store.update(.user("bulk1")) { $0 = nil }
    try await host.store.update(.user("bulk7")) { $0 = [7] }
    #expect(try await host.store.copy(to: copy, keyring: host.keyring) == 5)
    #expect(try await documents(of: copy) == documents(of: host.store))
  }

  @Test func `A copy of a store that changes meanwhile fails`() async throws {
    let host = try await Host()
    try await fill(host.store, 3)
    let source = host.store.base
    let copy = InMemoryFactorStore()
    host.store.beforeReading.withLock { work in
      work = { key in if key == .user("bulk1") { try await source.update(key) { $0 = ($0 ?? []) + [1] } } }
    }
    #expect(try await refusal(host.store, copy, host.keyring) == .storeInUse)
    #expect(try await copy.document(.mark) != (try await source.document(.mark)))
    #expect(try await refusal(source, copy, host.keyring) == nil)
    #expect(try await documents(of: copy) == documents(of: source))
  }

  @Test func `A copy stops if another process has continued it, and leaves the other's work as it is`() async throws {
    let host = try await Host()
    try await fill(host.store)
    let (source, keyring, copy) = (host.store.base, host.keyring, InMemoryFactorStore())
    host.store.beforeReading.withLock { work in
      work = { key in
        // In the middle of the first page.
        guard key == .user("bulk1"), try await copy.document(.mark)?.first == 0 else { return }
        try await source.copy(to: copy, keyring: keyring)
        // By then it is in use. Of a later page.
        try await copy.update(.user("bulk99")) { $0 = [9, 9] }
      }
    }
    #expect(try await refusal(host.store, copy, keyring) == .storeNotEmpty)
    #expect(try await copy.document(.user("bulk99")) == [9, 9])
    _ = try await Host(store: copy, keyring: keyring)
  }

  @Test(arguments: StoreKind.available)
  func `A store that is not empty is refused as the target, and stays as it is`(on kind: StoreKind) async throws {
    let host = try await Host(kind)
    let other = try await Host(kind)
    _ = try await other.enrollTOTP()
    let before = try await documents(of: other.store)
    #expect(try await refusal(host.store, other.store, host.keyring) == .storeNotEmpty)
    #expect(try await documents(of: other.store) == before)
    #expect(try await refusal(host.store, host.store, host.keyring) == .storeNotEmpty)
    // Nor is a complete copy a target again: it may be in use.
    let copy = try TestStore(kind)
    #expect(try await refusal(host.store, copy, host.keyring) == nil)
    #expect(try await refusal(host.store, copy, host.keyring) == .storeNotEmpty)
    // Nor is a store with a document but no mark, nor an interrupted copy of another store.
    for key in [DocumentKey.user("x"), .mark] {
      let strange = try TestStore(kind)
      try await strange.update(key) { $0 = StoreMark.reservation(forCopyOf: other.auth.context.documents.storeID) }
      #expect(try await refusal(host.store, strange, host.keyring) == .storeNotEmpty)
      #expect(try await documents(of: strange).count == 1)
    }
  }

  @Test(arguments: StoreKind.available)
  func `A store can be copied only with its own keyring`(on kind: StoreKind) async throws {
    let host = try await Host(kind)
    let copy = try TestStore(kind)
    #expect(try await refusal(host.store, copy, try Keyring()) == .foreignStore)
    #expect(try await refusal(try TestStore(kind), copy, host.keyring) == .emptyStore)
    #expect(try await refusal(try TestStore(kind), copy, try Keyring()) == .emptyStore)
    #expect(try await documents(of: copy).isEmpty)
  }

  @Test(arguments: StoreKind.available)
  func `A check counts users and documents, and lists what does not open`(on kind: StoreKind) async throws {
    let (host, user, _, _) = try await Host.withApp(kind)
    _ = try await host.enrollPhone(as: user)
    _ = try await host.enrollTOTP(Host.bob)
    // A user with nothing enrolled, but with a document.
    try await host.store.update(.user("u3")) { [context = host.auth.context] stored in
      stored = try context.documents.seal(Account(), under: .user("u3"))
    }
    let all = try await documents(of: host.store)
    var check = try await host.store.check(keyring: host.keyring)
    #expect(check.unreadable.isEmpty && check.userCount == 2 && check.documentCount == all.count - 1)
    try await host.store.update(.user("u2")) { $0 = all[.user("u1")] }
    try await host.store.update(.user("u4")) { $0 = [] }
    let strange = try #require(DocumentKey(bytes: [0xFF]))
    try await host.store.update(strange) { $0 = all[.user("u1")] }
    check = try await host.store.check(keyring: host.keyring)
    #expect(check.unreadable == [.user("u2"), .user("u4"), strange])
    #expect(check.userCount == 1 && check.documentCount == all.count + 1)
    await #expect(throws: ConfigurationError(.foreignStore, "store")) {
      _ = try await host.store.check(keyring: Keyring())
    }
    await #expect(throws: ConfigurationError(.emptyStore, "store")) {
      _ = try await TestStore(kind).check(keyring: host.keyring)
    }
  }
}
