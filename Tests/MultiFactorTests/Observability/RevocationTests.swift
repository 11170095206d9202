import Foundation
import MultiFactorOperations
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// The host's handler, which ends its web sessions: it is called for each revocation once that is durable.
@Suite struct RevocationTests {
  /// The users that a handler was called for.
  private final class Heard: Sendable {
    private let kept = Locked([String]())
    var users: [String] { kept.withLock { $0 } }
    func append(_ user: String) { kept.withLock { $0.append(user) } }
  }

  /// A server on a store, with a handler that records its calls.
  private static func server(
    on store: any FactorStore, _ heard: Heard, _ also: @escaping @Sendable (String) async -> Void = { _ in }
  ) async throws -> MultiFactorAuth {
    let clock = TestClock()
    let keyring = try Keyring()
    try await MultiFactorAuth.createStore(store, keyring: keyring)
    return try await MultiFactorAuth(
      configuration: MultiFactorConfiguration(providerConfigs: [.totp()]), store: store, keyring: keyring,
      handlers: MultiFactorHandlers(revocation: { userID in
        await also(userID)
        heard.append(userID)
      }), clock: { clock.now })
  }

  @Test func `Each revocation is reported before the call that caused it returns`() async throws {
    let heard = Heard()
    let auth = try await Self.server(on: TestStore(.memory), heard)
    let admin = auth.admin
    let factors = try [
      FactorImport.hotp(secret: .vector), .phone(number: "+15105551234"), .phone(number: "+15105551235"),
    ]
    var uids: [String] = []
    for factor in factors { uids.append(try await admin.importFactor(factor, for: "u1")) }
    #expect(heard.users.isEmpty)
    try await admin.removeFactor(uids[0], of: "u1")
    #expect(heard.users.isEmpty)
    try await admin.removeFactor(uids[2], of: "u1")
    #expect(heard.users == ["u1"])
    try await admin.removeFactor(uids[1], of: "u1")
    #expect(heard.users == ["u1"])
    try await admin.overwriteFactors(of: "u2", with: [])
    #expect(heard.users == ["u1", "u2"])
    try await admin.revokeHandles(of: "u3")
    #expect(heard.users == ["u1", "u2", "u3"])
    try await admin.deleteUser("u4")
    #expect(heard.users == ["u1", "u2", "u3", "u4"])
    await expectError(.multiFactorInfoNotFound) { try await admin.removeFactor(uids[2], of: "u1") }
    #expect(heard.users.count == 4)
  }

  @Test func `A revocation is durable when the handler is called: earlier handles are already refused`() async throws {
    let store = try TestStore(.memory)
    let heard = Heard()
    let refusals = Locked([AuthError.Code?]())
    let handles = Locked<[String]>([])
    let keyring = try Keyring()
    let other = Locked<MultiFactorAuth?>(nil)
    let clock = TestClock()
    let configuration = try MultiFactorConfiguration(providerConfigs: [.totp()])
    try await MultiFactorAuth.createStore(store, keyring: keyring)
    let auth = try await MultiFactorAuth(
      configuration: configuration, store: store, keyring: keyring,
      handlers: MultiFactorHandlers(revocation: { userID in
        let (auth, token) = (other.withLock { $0 }, handles.withLock { $0[0] })
        let refusal = await errorCode { try await auth?.user(from: token) as Any }
        refusals.withLock { $0.append(refusal) }
        heard.append(userID)
      }), clock: { clock.now })
    let server = try await MultiFactorAuth(
      configuration: configuration, store: store, keyring: keyring, clock: { clock.now })
    other.withLock { $0 = server }
    let token = try await auth.signIn(Host.alice, firstFactor: .password).user.token()
    handles.withLock { $0.append(token) }
    try await auth.admin.revokeHandles(of: "u1")
    #expect(heard.users == ["u1"])
    #expect(refusals.withLock { $0 } == [.userTokenExpired])
    other.withLock { $0 = nil }
  }

  @Test func `The handler is called even if the client hangs up`() async throws {
    let heard = Heard()
    let wasCancelled = Locked(false)
    let auth = try await Self.server(on: InMemoryFactorStore(), heard) { _ in
      let isCancelled = Task.isCancelled
      wasCancelled.withLock { $0 = isCancelled }
    }
    let request = Task {
      unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
      try await auth.admin.revokeHandles(of: "u1")
    }
    try await request.value
    #expect(heard.users == ["u1"])
    #expect(!wasCancelled.withLock { $0 })
  }

  @Test
  func `The handler is called exactly if the change may have been made`() async throws {
    let heard = Heard()
    let store = try TestStore(.memory)
    let auth = try await Self.server(on: store, heard)
    _ = try await auth.admin.importFactor(.phone(number: "+15105551234"), for: "u1")
    let uid = try await auth.admin.importFactor(.hotp(secret: .vector), for: "u1")
    store.fail(atCall: 1, .failsBefore)
    await expectError(.internalError) { try await auth.admin.removeFactor(uid, of: "u1") }
    #expect(heard.users.isEmpty)
    store.fail(atCall: 1, .failsAfter)
    await expectError(.internalError) { try await auth.admin.removeFactor(uid, of: "u1") }
    #expect(heard.users == ["u1"])
    store.recover()
    // The change was made: a second request finds nothing to remove, and would not have called the handler.
    await expectError(.multiFactorInfoNotFound) { try await auth.admin.removeFactor(uid, of: "u1") }
    #expect(heard.users == ["u1"])
    store.fail(atCall: 1, .failsAfter)
    await expectError(.internalError) { try await auth.admin.deleteUser("u1") }
    #expect(heard.users == ["u1", "u1"])
  }
}
