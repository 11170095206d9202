import Foundation
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor
@testable import MultiFactorBrowsers

/// Browsers in which a second factor was verified, and whose next sign-ins need only the first.
@Suite struct RememberedBrowserTests {
  private let log = RecordingLog()

  /// The last two events.
  private var refused: [String] { log.events.suffix(2).map(\.summary) }

  @Test(arguments: StoreKind.available)
  func `Sign-ins from a remembered browser need no second factor, and their claims name the one verified earlier`(
    on kind: StoreKind
  )
    async throws
  {
    let host = try await Host.remembering(kind, log: log)
    let verification = host.clock.now
    let (user, _, uid) = try await host.enrollTOTP()
    let token = try await host.browsers.remember(for: user)
    host.clock.advance(by: 7200)
    let again = try #require(try await host.signIn(from: token))
    let claims = again.claims
    #expect(claims.secondFactor == RememberedBrowserMultiFactorID && claims.secondFactorIdentifier == uid)
    #expect(claims.secondFactorDate == verification && claims.authenticationDate == host.clock.now)
    #expect(
      log.events.suffix(2).map(\.kind) == [.browserRemembered, .signedIn]
        && log.events.last?.factorID == "remembered")
    // The claims last, in this handle and in the next request's.
    try await again.reload()
    let restored = try await host.auth.user(from: again.token(), for: Host.alice.id)
    #expect(restored.claims.secondFactor == RememberedBrowserMultiFactorID)
    for none in [nil, ""] { #expect(try await host.signIn(from: none) == nil) }
  }

  @Test(arguments: StoreKind.available)
  func `A remembered browser ends on expiry, forgetting, revocation, deletion, or a change of factors`(
    on kind: StoreKind
  ) async throws {
    for (end, reason) in Self.ends {
      let host = try await Host.remembering(kind, log: log)
      let (user, _, uid) = try await host.enrollTOTP()
      let token = try await host.browsers.remember(for: user)
      #expect(try await host.signIn(from: token) != nil)
      try await end(host, user, uid)
      if try await host.account().factors.isEmpty { _ = try await host.enrollTOTP() }
      #expect(try await host.signIn(from: token) == nil)
      #expect(refused == ["token_refused \(reason.rawValue)", "second_factor_required"])
      #expect(try await host.browsers.list(ofUserID: Host.alice.id) == [])
    }
  }

  private typealias End = @Sendable (Host, User, String) async throws -> Void
  private static let ends: [(End, AuditEvent.Reason)] = [
    ({ host, _, _ in host.clock.advance(by: 86_400) }, .expired),
    // A clock that is behind does not revive it.
    (
      { host, _, _ in
        host.clock.advance(by: 86_400)
        try await host.browsers.forget("another", ofUserID: Host.alice.id)
        host.clock.advance(by: -86_000)
      }, .expired
    ),
    ({ _, user, uid in try await user.multiFactor.unenroll(withFactorUID: uid) }, .notFound),
    // Another factor of the same name is not the one that was verified, whatever its date.
    (
      { host, _, uid in
        let date = host.clock.now - 60
        host.clock.advance(by: 60)
        try await host.auth.admin.removeFactor(uid, of: "u1")
        try await host.auth.admin.importFactor(
          .totp(secret: .vector, displayName: nil, uid: uid, enrollmentDate: date), for: "u1")
      }, .notFound
    ),
    ({ host, user, _ in _ = try await host.enrollTOTP(as: user) }, .revoked),
    ({ host, _, _ in try await host.auth.admin.importFactor(.phone(number: "+15105551234"), for: "u1") }, .revoked),
    ({ host, _, _ in try await host.auth.admin.revokeTokens(of: "u1") }, .revoked),
    ({ host, _, _ in try await host.auth.admin.spendCodes(until: host.clock.now - 3600) }, .notFound),
    ({ host, _, _ in try await host.auth.admin.deleteUser("u1") }, .notFound),
    ({ host, user, _ in try await host.browsers.forget(nil, of: user) }, .notFound),
    (
      { host, _, _ in
        for browser in try await host.browsers.list(ofUserID: "u1") {
          try await host.browsers.forget(browser.id, ofUserID: "u1")
        }
      }, .notFound
    ),
    // The store may have lost that it was forgotten. To the microsecond, as a server has it.
    ({ host, _, _ in host.store.loss.withLock { $0 = host.clock.now.addingTimeInterval(0.000_4) } }, .notFound),
  ]

  @Test(arguments: StoreKind.available)
  func `A token of another user, of another store, of another kind, or one that was changed, asks for the factor`(
    on kind: StoreKind
  ) async throws {
    let host = try await Host.remembering(kind, log: log)
    let (user, _, _) = try await host.enrollTOTP()
    _ = try await host.enrollTOTP(Host.bob)
    let token = try await host.browsers.remember(for: user)
    #expect(try await host.signIn(from: token, Host.bob) == nil)
    #expect(refused == ["token_refused mismatch", "second_factor_required"])
    let other = try await Host.remembering(kind, log: log)
    let (stranger, _, _) = try await other.enrollTOTP()
    for wrong in [
      try await other.browsers.remember(for: stranger), try user.token(), token + "A", String(token.dropLast()), "x",
      String(repeating: "A", count: 100_000),
    ] {
      #expect(try await host.signIn(from: wrong) == nil)
      #expect(refused == ["token_refused invalid", "second_factor_required"])
    }
    #expect(try await host.signIn(from: token) != nil)
  }

  @Test func `A browser is remembered from its verification on, also after an earlier loss`() async throws {
    let host = try await Host.remembering(log: log)
    host.store.loss.withLock { $0 = host.clock.now.addingTimeInterval(-86_400) }
    let (user, _, _) = try await host.enrollTOTP()
    host.clock.advance(by: 200)
    let token = try await host.browsers.remember(for: user)
    host.clock.advance(by: 86_199)
    for _ in 0..<2 { #expect(try await host.signIn(from: token) != nil) }
    host.clock.advance(by: 1)
    #expect(try await host.signIn(from: token) == nil)
  }

  @Test func `A remembered browser is no factor: no resolver accepts it, and it cannot be enrolled`() async throws {
    let host = try await Host.remembering(log: log)
    let (user, _, _) = try await host.enrollTOTP()
    let token = try await host.browsers.remember(for: user)
    let assertion = MultiFactorAssertion(factorID: "remembered", challenge: "", response: token)
    await expectError(.operationNotAllowed) { try await host.resolver().resolveSignIn(with: assertion) }
    await expectError(.operationNotAllowed) { try await user.multiFactor.enroll(with: assertion, displayName: nil) }
  }

  @Test(arguments: [.zero, .seconds(-1), .seconds(90 * 86_400 + 1)] as [Duration])
  func `A lifetime of zero, or of more than 90 days, is refused`(lifetime: Duration) async throws {
    let auth = try await Host().auth
    #expect(throws: ConfigurationError.self) { try RememberedBrowsers(auth: auth, lifetime: lifetime) }
    _ = try RememberedBrowsers(auth: auth, lifetime: RememberedBrowsers.maximumLifetime)
  }

  @Test
  func `A sign-in without a browser's token reads and writes nothing more, and one with a token makes one change`()
    async throws
  {
    let host = try await Host.remembering(log: log)
    let (user, _, _) = try await host.enrollTOTP()
    let token = try await host.browsers.remember(for: user)
    func calls(_ token: String?) async throws -> [TestStore.Operation] {
      host.store.recover()
      _ = try await host.signIn(from: token)
      return host.store.recover().calls.map(\.operation)
    }
    #expect(try await calls(nil) == [.document])
    #expect(try await calls("another's") == [.document])
    #expect(try await calls(token) == [.document, .update])
  }
}
