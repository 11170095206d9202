import Foundation
import Keyring
import MultiFactorOperations
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// The host's handler, which ends its web sessions: it is called for each revocation once that is durable.
@Suite struct RevocationTests {
  /// The users that the handler was called for.
  private let heard = Locked([String]())
  private var users: [String] { heard.withLock { $0 } }

  /// A server on a store, with a handler that records its calls.
  private func server(
    on store: any FactorStore, _ also: @escaping @Sendable () async -> Void = {}
  ) async throws -> MultiFactorAuth {
    let (clock, keyring) = (TestClock(), try Keyring())
    try await MultiFactorAuth.createStore(store, keyring: keyring)
    return try await MultiFactorAuth(
      configuration: MultiFactorConfiguration(providerConfigs: [.totp()]), store: store, keyring: keyring,
      handlers: MultiFactorHandlers(revocation: { [heard] userID in
        await also()
        heard.withLock { $0.append(userID) }
      }), clock: { clock.now })
  }

  @Test func `Each revocation is reported before the call that caused it returns`() async throws {
    let auth = try await server(on: TestStore(.memory))
    let admin = auth.admin
    let factors = try [
      FactorImport.hotp(secret: .vector), .phone(number: "+15105551234"), .phone(number: "+15105551235"),
    ]
    var uids: [String] = []
    for factor in factors { uids.append(try await admin.importFactor(factor, for: "u1")) }
    #expect(users.isEmpty)
    try await admin.removeFactor(uids[0], of: "u1")
    #expect(users.isEmpty)
    try await admin.removeFactor(uids[2], of: "u1")
    #expect(users == ["u1"])
    try await admin.removeFactor(uids[1], of: "u1")
    #expect(users == ["u1"])
    try await admin.overwriteFactors(of: "u2", with: [])
    #expect(users == ["u1", "u2"])
    try await admin.revokeTokens(of: "u3")
    #expect(users == ["u1", "u2", "u3"])
    try await admin.deleteUser("u4")
    #expect(users == ["u1", "u2", "u3", "u4"])
    await expectError(.multiFactorInfoNotFound) { try await admin.removeFactor(uids[2], of: "u1") }
    #expect(users.count == 4)
  }

  @Test func `A revocation is durable when the handler is called: earlier handles are already refused`() async throws {
    let host = try await Host()
    let token = try await host.signIn().token()
    let auth = try await MultiFactorAuth(
      configuration: .strict, store: host.store, keyring: host.keyring,
      handlers: MultiFactorHandlers(revocation: { [heard] _ in
        let refusal = await errorCode { try await host.auth.user(from: token) }
        heard.withLock { $0.append("\(refusal.map { "\($0)" } ?? "none")") }
      }), clock: { [clock = host.clock] in clock.now })
    try await auth.admin.revokeTokens(of: "u1")
    #expect(users == ["userTokenExpired"])
  }

  @Test func `The handler is called even if the client hangs up`() async throws {
    let wasCancelled = Locked(false)
    let auth = try await server(on: InMemoryFactorStore()) {
      let isCancelled = Task.isCancelled
      wasCancelled.withLock { $0 = isCancelled }
    }
    let request = Task {
      unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
      try await auth.admin.revokeTokens(of: "u1")
    }
    try await request.value
    #expect(users == ["u1"])
    #expect(!wasCancelled.withLock { $0 })
  }

  @Test
  func `The handler is called exactly if the change may have been made`() async throws {
    let store = try TestStore(.memory)
    let auth = try await server(on: store)
    _ = try await auth.admin.importFactor(.phone(number: "+15105551234"), for: "u1")
    let uid = try await auth.admin.importFactor(.hotp(secret: .vector), for: "u1")
    store.fail(atCall: 1, .failsBefore)
    await expectError(.internalError) { try await auth.admin.removeFactor(uid, of: "u1") }
    #expect(users.isEmpty)
    store.fail(atCall: 1, .failsAfter)
    await expectError(.internalError) { try await auth.admin.removeFactor(uid, of: "u1") }
    #expect(users == ["u1"])
    store.recover()
    // The change was made: a second request finds nothing to remove, and would not have called the handler.
    await expectError(.multiFactorInfoNotFound) { try await auth.admin.removeFactor(uid, of: "u1") }
    #expect(users == ["u1"])
    store.fail(atCall: 1, .failsAfter)
    await expectError(.internalError) { try await auth.admin.deleteUser("u1") }
    #expect(users == ["u1", "u1"])
  }
}
