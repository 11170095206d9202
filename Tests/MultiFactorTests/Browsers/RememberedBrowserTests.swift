import Foundation
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor
@testable import MultiFactorBrowsers

/// Browsers in which a second factor was verified, and whose next sign-ins need only the first.
@Suite struct RememberedBrowserTests {
  private let log = RecordingLog()

  private func host(
    _ kind: StoreKind = .memory, state: MultiFactorConfiguration.State = .enabled, lifetime: Duration = .seconds(86_400)
  ) async throws -> Host {
    try await Host(
      kind,
      configuration: MultiFactorConfiguration(providerConfigs: [.totp(), .phone(), .rememberedBrowsers(state: state)]),
      browsers: RememberedBrowsers(lifetime: lifetime), log: log.append)
  }

  /// The handle of a sign-in from a browser; `nil` if it needs a second factor.
  private func signIn(_ host: Host, _ token: String?, _ principal: Principal = Host.alice, at address: String? = nil)
    async throws -> User?
  {
    let begun = try await host.auth.beginSignIn(
      principal, firstFactor: .password, payload: [7], browserToken: token, address: address)
    guard case .signedIn(let result) = begun else { return nil }
    #expect(result.payload == [7])
    return result.user
  }

  /// The last two events.
  private var refused: [String] { log.events.suffix(2).map(\.summary) }

  @Test(arguments: StoreKind.available)
  func `Its sign-ins need no second factor, and their claims say which one was verified, and when`(on kind: StoreKind)
    async throws
  {
    let host = try await host(kind)
    let verification = host.clock.now
    let (user, _, uid) = try await host.enrollTOTP()
    let token = try await user.multiFactor.rememberBrowser()
    host.clock.advance(by: 7200)
    let again = try #require(try await signIn(host, token))
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
    for none in [nil, ""] { #expect(try await signIn(host, none) == nil) }
  }

  @Test(arguments: StoreKind.available)
  func `A step-up, and whatever needs a verified factor, does not count it`(on kind: StoreKind) async throws {
    let host = try await host(kind)
    let (user, key, uid) = try await host.enrollTOTP()
    let token = try await user.multiFactor.rememberBrowser()
    let again = try #require(try await signIn(host, token))
    let second = again.multiFactor
    #expect(await errorCode { try await second.session() } == .requiresRecentLogin)
    #expect(await errorCode { try await second.unenroll(withFactorUID: uid) } == .requiresRecentLogin)
    #expect(await errorCode { try await second.generateRecoveryCodes() } == .requiresRecentLogin)
    #expect(await errorCode { try await second.rememberBrowser() } == .requiresRecentLogin)
    let error = await authError { try await again.requireSecondFactor(within: .seconds(3600)) }
    #expect(error?.code == .secondFactorRequired)
    host.clock.advance(by: 30)
    let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: uid, oneTimePassword: try host.code(of: key))
    let verified = try await #require(error?.resolver).resolveSignIn(with: assertion).user
    try await verified.requireSecondFactor(within: .seconds(3600))
    #expect(verified.claims.secondFactor == TOTPMultiFactorID)
  }

  @Test(arguments: StoreKind.available)
  func `It ends with its time, its factor, a new factor, a revocation, a deletion, and when it is forgotten`(
    on kind: StoreKind
  ) async throws {
    for (end, reason) in Self.ends {
      let host = try await host(kind)
      let (user, _, uid) = try await host.enrollTOTP()
      let token = try await user.multiFactor.rememberBrowser()
      #expect(try await signIn(host, token) != nil)
      try await end(host, user, uid)
      if try await host.account().factors.isEmpty { _ = try await host.enrollTOTP() }
      #expect(try await signIn(host, token) == nil)
      #expect(refused == ["token_refused \(reason.rawValue)", "second_factor_required"])
      #expect(try await host.auth.admin.rememberedBrowsers(of: Host.alice.id) == [])
    }
  }

  private typealias End = @Sendable (Host, User, String) async throws -> Void
  private static let ends: [(End, AuditEvent.Reason)] = [
    ({ host, _, _ in host.clock.advance(by: 86_400) }, .expired),
    // A clock that is behind does not revive it.
    (
      { host, _, _ in
        host.clock.advance(by: 86_400)
        try await host.auth.admin.forgetBrowser("another", of: Host.alice.id)
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
    ({ host, user, _ in _ = try await host.enrollPhone(as: user) }, .revoked),
    ({ host, _, _ in try await host.auth.admin.importFactor(.phone(number: "+15105551234"), for: "u1") }, .revoked),
    ({ host, _, _ in try await host.auth.admin.revokeHandles(of: "u1") }, .revoked),
    ({ host, _, _ in try await host.auth.admin.spendCodes(until: host.clock.now - 3600) }, .notFound),
    ({ host, _, _ in try await host.auth.admin.deleteUser("u1") }, .notFound),
    ({ _, user, _ in try await user.multiFactor.forgetBrowser(nil) }, .notFound),
    (
      { host, _, _ in
        for browser in try await host.auth.admin.rememberedBrowsers(of: "u1") {
          try await host.auth.admin.forgetBrowser(browser.id, of: "u1")
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
    let host = try await host(kind)
    let (user, _, _) = try await host.enrollTOTP()
    _ = try await host.enrollTOTP(Host.bob)
    let token = try await user.multiFactor.rememberBrowser()
    #expect(try await signIn(host, token, Host.bob) == nil)
    #expect(refused == ["token_refused mismatch", "second_factor_required"])
    let other = try await self.host(kind)
    let (stranger, _, _) = try await other.enrollTOTP()
    for wrong in [
      try await stranger.multiFactor.rememberBrowser(), try user.token(), token + "A", String(token.dropLast()), "x",
      String(repeating: "A", count: 100_000),
    ] {
      #expect(try await signIn(host, wrong) == nil)
      #expect(refused == ["token_refused invalid", "second_factor_required"])
    }
    #expect(try await signIn(host, token) != nil)
  }

  @Test(arguments: StoreKind.available)
  func `A browser copied to another works in both, at once, and the list says where it was used last`(
    on kind: StoreKind
  ) async throws {
    let host = try await host(kind)
    let (user, _, _) = try await host.enrollTOTP()
    let start = host.clock.now
    let token = try await user.multiFactor.rememberBrowser(name: "Firefox on Linux", address: "192.0.2.1")
    host.clock.advance(by: 60)
    let signedIn = try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<20 {
        let address = index.isMultiple(of: 2) ? "192.0.2.1" : "198.51.100.7"
        group.addTask { try await signIn(host, token, at: address) != nil }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(signedIn == 20)
    host.clock.advance(by: 60)
    _ = try await signIn(host, token, at: "203.0.113.9")
    let listed = try #require(try await user.multiFactor.rememberedBrowsers.first)
    #expect(listed.name == "Firefox on Linux" && listed.address == "203.0.113.9")
    #expect(listed.verificationDate == start && listed.lastUseDate == start + 120)
    #expect(listed.expirationDate == start + 86_400 && "\(listed)" == "RememberedBrowser(redacted)")
    _ = try await signIn(host, token)
    #expect(try await user.multiFactor.rememberedBrowsers.map(\.address) == ["203.0.113.9"])
  }

  @Test(arguments: StoreKind.available)
  func `Ten are remembered, and one more ends the one that was not used for the longest time`(on kind: StoreKind)
    async throws
  {
    let host = try await host(kind)
    let (user, _, _) = try await host.enrollTOTP()
    var tokens: [String] = []
    for index in 0..<10 {
      host.clock.advance(by: 1)
      // As long as a name can be: the document stays small enough.
      let long = String(repeating: "🧑‍🧑‍🧒‍🧒", count: 200)
      tokens.append(try await user.multiFactor.rememberBrowser(name: "\(index)" + long, address: long))
    }
    host.clock.advance(by: 1)
    #expect(try await signIn(host, tokens[0]) != nil)
    host.clock.advance(by: 1)
    tokens.append(try await user.multiFactor.rememberBrowser(name: "10"))
    #expect(try await user.multiFactor.rememberedBrowsers.compactMap(\.name?.first) == Array("0234567891"))
    for (index, token) in tokens.enumerated() { #expect(try await (signIn(host, token) == nil) == (index == 1)) }
  }

  @Test func `Who is remembered once more in the same browser has one entry, and those that ended make room`()
    async throws
  {
    let host = try await host()
    let (user, key, uid) = try await host.enrollTOTP()
    let other = try await user.multiFactor.rememberBrowser(name: "other")
    var token = try await user.multiFactor.rememberBrowser()
    for _ in 0..<12 { token = try await user.multiFactor.rememberBrowser(replacing: token) }
    #expect(try await user.multiFactor.rememberedBrowsers.count == 2)
    for token in [token, other] { #expect(try await signIn(host, token) != nil) }
    // Another's token replaces nothing.
    let (bob, _, _) = try await host.enrollTOTP(Host.bob)
    _ = try await bob.multiFactor.rememberBrowser(replacing: token)
    #expect(try await signIn(host, token) != nil)
    // All end with a revocation, and none of them is evicted for, or kept.
    try await host.auth.admin.revokeHandles(of: "u1")
    host.clock.advance(by: 30)
    let again = try await host.resolve(uid, code: host.code(of: key)).user
    _ = try await again.multiFactor.rememberBrowser(name: "new")
    let document: BrowserDocument = try await host.auth.context.document(
      .external(.remembered, "u1"), user: "u1")
    #expect(document.browsers.map(\.name) == ["new"])
  }

  @Test func `What a clock far ahead has remembered, or a longer lifetime, does not count`() async throws {
    let host = try await host()
    host.clock.advance(by: 31_536_000)
    let (user, _, _) = try await host.enrollTOTP()
    let token = try await user.multiFactor.rememberBrowser()
    #expect(try await signIn(host, token) != nil)
    host.clock.advance(by: -31_536_000)
    #expect(try await signIn(host, token) == nil)
    let long = try await self.host(lifetime: RememberedBrowsers.maximumLifetime)
    let (bob, _, _) = try await long.enrollTOTP(Host.bob)
    let old = try await bob.multiFactor.rememberBrowser()
    let short = try await Host(store: long.store, keyring: long.keyring, browsers: RememberedBrowsers())
    #expect(try await signIn(short, old, Host.bob) == nil)
    #expect(try await signIn(long, old, Host.bob) != nil)
  }

  @Test func `If its factor's kind is disabled, it asks, and a factor in another's place is a new one`() async throws {
    let host = try await host()
    let (user, _, _) = try await host.enrollTOTP()
    let (_, phone) = try await host.enrollPhone(as: user)
    let (_, _, app) = try await host.enrollTOTP(as: user)
    let token = try await user.multiFactor.rememberBrowser()
    let off = try await Host(
      store: host.store, keyring: host.keyring,
      configuration: MultiFactorConfiguration(
        providerConfigs: [.totp(state: .disabled), .phone(), .rememberedBrowsers()]))
    #expect(try await signIn(off, token) == nil)
    #expect(try await signIn(host, token) != nil)
    host.clock.advance(by: 60)
    try await host.auth.admin.removeFactor(phone, of: "u1")
    #expect(try await signIn(host, token)?.claims.secondFactorIdentifier == app)
    let date = host.clock.now - 3600
    try await host.auth.admin.importFactor(
      .totp(secret: .vector, displayName: nil, uid: phone, enrollmentDate: date), for: "u1")
    #expect(try await signIn(host, token) == nil)
  }

  @Test func `Two are remembered at once, and one that has ended makes room first`() async throws {
    let host = try await host()
    let (user, key, uid) = try await host.enrollTOTP()
    for _ in 0..<8 { _ = try await user.multiFactor.rememberBrowser() }
    host.clock.advance(by: 86_400 - 100)
    let other = try await host.resolve(uid, code: host.code(of: key)).user
    async let first = other.multiFactor.rememberBrowser()
    async let second = other.multiFactor.rememberBrowser()
    let tokens = [try await first, try await second]
    host.clock.advance(by: 100)
    let third = try await other.multiFactor.rememberBrowser()
    for token in tokens + [third] { #expect(try await signIn(host, token) != nil) }
    #expect(try await other.multiFactor.rememberedBrowsers.count == 3)
  }

  @Test func `Only a factor that was verified recently has it remembered: no recovery code, and no old handle`()
    async throws
  {
    let host = try await host()
    let (user, _, _) = try await host.enrollTOTP()
    let codes = try await user.multiFactor.generateRecoveryCodes().codes
    let recovered = try await host.recover(codes[0]).user
    #expect(await errorCode { try await recovered.multiFactor.rememberBrowser() } == .requiresRecentLogin)
    host.clock.advance(by: 301)
    #expect(await errorCode { try await user.multiFactor.rememberBrowser() } == .requiresRecentLogin)
    let single = try await host.signIn(Host.bob)
    #expect(await errorCode { try await single.multiFactor.rememberBrowser() } == .requiresRecentLogin)
    try await host.auth.admin.revokeHandles(of: "u1")
    #expect(await errorCode { try await user.multiFactor.forgetBrowser(nil) } == .userTokenExpired)
    #expect(await errorCode { try await user.multiFactor.rememberedBrowsers } == .userTokenExpired)
  }

  @Test func `The handle of its sign-in loses its claim with the factor`() async throws {
    let host = try await host()
    let (user, _, uid) = try await host.enrollTOTP()
    let again = try #require(try await signIn(host, user.multiFactor.rememberBrowser()))
    try await user.multiFactor.unenroll(withFactorUID: uid)
    #expect(try await host.auth.user(from: again.token()).claims.secondFactor == nil)
  }

  @Test func `A lock of the factor does not lock out its browsers, whose sign-ins clear no failures`() async throws {
    let host = try await host()
    let (user, key, uid) = try await host.enrollTOTP()
    let token = try await user.multiFactor.rememberBrowser()
    let wrong = try host.wrongCode(for: key)
    for _ in 0..<10 {
      host.clock.advance(by: 40)
      _ = await errorCode { try await host.resolve(uid, code: wrong) }
    }
    #expect(await errorCode { try await host.resolve(uid, code: host.code(of: key)) } == .tooManyRequests)
    #expect(try await signIn(host, token) != nil)
    #expect(try await host.account().failures == 10)
  }

  @Test func `It is off unless configured, and off again when disabled`() async throws {
    let host = try await host()
    let (user, _, _) = try await host.enrollTOTP()
    let token = try await user.multiFactor.rememberBrowser()
    for disabled in [[], [.rememberedBrowsers(state: .disabled)]] as [[MultiFactorConfiguration.ProviderConfig]] {
      let off = try await Host(
        store: host.store, keyring: host.keyring,
        configuration: MultiFactorConfiguration(providerConfigs: [.totp()] + disabled))
      off.clock.now = host.clock.now
      #expect(try await signIn(off, token) == nil)
      let restored = try await off.auth.user(from: user.token())
      #expect(await errorCode { try await restored.multiFactor.rememberBrowser() } == .operationNotAllowed)
    }
    #expect(try await signIn(host, token) != nil)
    await #expect(throws: ConfigurationError.self) {
      try await Host(
        configuration: MultiFactorConfiguration(providerConfigs: [.totp(), .rememberedBrowsers()]), externalFactors: [])
    }
    // It is no factor that a resolver takes, or that can be enrolled.
    let assertion = MultiFactorAssertion(factorID: "remembered", challenge: "", response: token)
    #expect(await errorCode { try await host.resolver().resolveSignIn(with: assertion) } == .multiFactorInfoNotFound)
    #expect(
      await errorCode { try await user.multiFactor.enroll(with: assertion, displayName: nil) }
        == .multiFactorInfoNotFound)
  }

  @Test(arguments: [.zero, .seconds(-1), .seconds(90 * 86_400 + 1)] as [Duration])
  func `A lifetime of nothing, or of over 90 days, is refused`(lifetime: Duration) throws {
    #expect(throws: ConfigurationError.self) { try RememberedBrowsers(lifetime: lifetime) }
    _ = try RememberedBrowsers(lifetime: RememberedBrowsers.maximumLifetime)
  }

  @Test func `Without a token nothing more is read or written, and with one there is one change`() async throws {
    let host = try await host()
    let (user, _, _) = try await host.enrollTOTP()
    let token = try await user.multiFactor.rememberBrowser()
    func calls(_ token: String?) async throws -> [TestStore.Operation] {
      host.store.recover()
      _ = try await signIn(host, token)
      return host.store.recover().calls.map(\.operation)
    }
    #expect(try await calls(nil) == [.document])
    #expect(try await calls("another's") == [.document])
    #expect(try await calls(token) == [.document, .update])
  }

  @Test func `What was remembered is deleted with the user`() async throws {
    let host = try await host()
    let (user, _, _) = try await host.enrollTOTP()
    _ = try await user.multiFactor.rememberBrowser(name: "Firefox", address: "192.0.2.1")
    let key = DocumentKey.external(.remembered, Host.alice.id)
    #expect(try await host.store.document(key) != nil)
    try await host.auth.admin.deleteUser(Host.alice.id)
    #expect(try await host.store.document(key) == nil)
  }
}
