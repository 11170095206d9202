import Foundation
import Keyring
import SharedFixtures
import Testing

@testable import MultiFactor

/// A keyring is bound to the store that it has sealed for.
@Suite struct StoreMarkTests {
  private func refusal(_ store: any FactorStore, _ keyring: Keyring) async -> ConfigurationError.Kind? {
    do {
      _ = try await Host(store: store, keyring: keyring)
      return nil
    } catch {
      return (error as? ConfigurationError)?.kind
    }
  }

  @Test(arguments: StoreKind.available)
  func `A bound keyring refuses an empty store and another store`(
    on kind: StoreKind
  ) async throws {
    let host = try await Host(kind)
    #expect(await refusal(try TestStore(kind), host.keyring) == .emptyStore)
    let other = try await Host(kind)
    #expect(await refusal(other.store, host.keyring) == .foreignStore)
    // A store with documents but without its mark.
    _ = try await other.enrollTOTP()
    try await other.store.update(.mark) { $0 = nil }
    #expect(await refusal(other.store, host.keyring) == .foreignStore)
    // The right store still works.
    #expect(await refusal(host.store, host.keyring) == nil)
  }

  @Test(arguments: StoreKind.available)
  func `A store refuses a new keyring, and stays as it was`(on kind: StoreKind) async throws {
    let (host, _, key, uid) = try await Host.withApp(kind)
    let keyring = try Keyring()
    #expect(await refusal(host.store, keyring) == .foreignStore)
    #expect(keyring.storeID == nil)
    // Even if the mark is gone.
    let mark = try await host.store.document(.mark)
    try await host.store.update(.mark) { $0 = nil }
    #expect(await refusal(host.store, keyring) == .foreignStore)
    try await host.store.update(.mark) { $0 = mark }
    host.clock.advance(by: 30)
    _ = try await host.resolve(uid, code: host.code(of: key))
  }

  @Test(arguments: StoreKind.available)
  func `A store and a keyring that were not created together are refused, and stay as they were`(on kind: StoreKind)
    async throws
  {
    let (store, keyring) = (try TestStore(kind), try Keyring())
    #expect(await refusal(store, keyring) == .notCreated)
    #expect(try await store.keys(after: nil, limit: 1).isEmpty && keyring.storeID == nil)
  }

  @Test(arguments: StoreKind.available)
  func `Of the processes that create one pair at once, one has created it`(on kind: StoreKind) async throws {
    let folder = try TemporaryFolder()
    let path = folder.file()
    let store = try TestStore(kind)
    let count = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<16 {
        group.addTask { (try? await MultiFactorAuth.createStore(keyringFile: path) { store }) != nil }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(count == 1)
    let host = try await Host(store: store, keyring: Keyring(file: path))
    #expect(try Keyring(file: path).storeID == host.auth.context.documents.storeID)
    // From now on the keyring file names the store.
    #expect(await refusal(try TestStore(kind), try Keyring(file: path)) == .emptyStore)

    // Another one begins later, and ends first.
    let (second, other) = (folder.file("second"), try TestStore(kind))
    _ = try Keyring.create(file: second)
    await #expect(throws: KeyringError(.exists)) {
      try await MultiFactorAuth.createStore(keyringFile: second) {
        try await MultiFactorAuth.createStore(keyringFile: second) { other }
        return other
      }
    }
  }

  @Test func `No keyring is created beside a store, and no store for a keyring that has one`() async throws {
    let folder = try TemporaryFolder()
    let (path, second) = (folder.file("a"), folder.file("b"))
    let store = try TestStore(.memory)
    func create(_ path: String, _ store: any FactorStore) async throws {
      try await MultiFactorAuth.createStore(keyringFile: path) { store }
    }
    try await create(path, store)
    // The store exists.
    await #expect(throws: FactorStoreError(.exists)) { try await create(second, store) }
    await #expect(throws: FactorStoreError(.missing)) {
      try await MultiFactorAuth.createStore(keyringFile: second) { throw FactorStoreError(.missing) }
    }
    #expect(try folder.names == ["a", "a.lock"])
    // The keyring has one.
    let other = try TestStore(.memory)
    let error = await #expect(throws: KeyringError.self) { try await create(path, other) }
    #expect(error?.kind == .exists && other.recover().calls.isEmpty)
    // A keyring that seals a table of its own can have one, too.
    let keyring = try Keyring.create(file: second)
    try await create(second, other)
    #expect(await refusal(other, try Keyring(file: second)) == nil)
    #expect(try Keyring(file: second).activeKeyName == keyring.activeKeyName)
  }

  @Test func `A creation interrupted before the keyring was bound is completed by the next server`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file()
    let keyring = try Keyring.create(file: path)
    let store = try TestStore(.memory)
    store.fail(atCall: 3, .failsAfter)
    _ = try? await MultiFactorAuth.createStore(store, keyring: keyring)
    store.recover()
    let host = try await Host(store: store, keyring: Keyring(file: path))
    #expect(try Keyring(file: path).storeID == host.auth.context.documents.storeID)
  }

  @Test(arguments: StoreKind.available)
  func `A handle, session, document and mark belong to one store, even if another has the same keys`(
    on kind: StoreKind
  ) async throws {
    let host = try await Host(kind, keyring: .fixed(active: ("a", 1)))
    let other = try await Host(kind, keyring: .fixed(active: ("a", 1)))
    let user = try await host.signIn()
    let (token, session) = (try user.token(), try await user.multiFactor.session().token())
    await expectError(.invalidUserToken) { try await other.auth.user(from: token) }
    await expectError(.invalidMultiFactorSession) { try other.auth.session(from: session) }
    _ = try await host.enrollTOTP(as: user)
    let document = try await host.store.document(.user("u1"))
    try await other.store.update(.user("u1")) { $0 = document }
    await expectError(.internalError) { try await other.signIn() }
    #expect(await refusal(other.store, host.keyring) == .foreignStore)
    let mark = try await other.store.document(.mark)
    try await host.store.update(.mark) { $0 = mark }
    await expectError(.internalError) { try await host.signIn(Host.bob) }
  }

  @Test(arguments: [1, 2] as [UInt8]) func `A mark of another version is refused`(version: UInt8) async throws {
    let host = try await Host()
    var writer = ByteWriter()
    writer.append(version)
    writer.append(host.auth.context.documents.storeID)
    let mark = try host.keyring.seal(writer.finish(), for: .storeMark, boundTo: [])
    try await host.store.update(.mark) { $0 = mark }
    #expect(await refusal(host.store, host.keyring) == (version == 1 ? nil : .foreignStore))
  }

  @Test(arguments: StoreKind.available)
  func `A sign-in is one update of the store, and a refusal that changes nothing writes nothing`(
    on kind: StoreKind
  ) async throws {
    let (host, _, key, uid) = try await Host.withApp(kind)
    host.clock.advance(by: 30)
    let resolver = try await host.resolver()
    func calls(_ code: String) async -> (AuthError.Code?, [TestStore.Operation]) {
      host.store.recover()
      let assertion = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: code)
      let end = await errorCode { try await resolver.resolveSignIn(with: assertion) }
      return (end, host.store.recover().calls.map(\.operation))
    }
    let code = try host.code(of: key)
    #expect(await calls(code) == (nil, [.update]))
    let wrong = try host.wrongCode(for: key)
    for _ in 0..<4 { #expect(await calls(wrong) == (.invalidVerificationCode, [.update])) }
    let before = try await host.store.document(.user("u1"))
    #expect(await calls(code) == (.tooManyRequests, [.update]))
    #expect(try await host.store.document(.user("u1")) == before)
  }
}
