#if Observability
import Foundation
import MultiFactorBrowsers
import MultiFactorObservability
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// Nothing that a server writes in any flow, failures included, contains a secret, code, token or number.
@Suite struct SilenceTests {
  /// A server used through its public API, with everything that it writes kept and every secret of its users known.
  private final class Watched {
    let clock = TestClock()
    let sender = RecordingSMSSender()
    let log = CapturedLog()
    let recorded = RecordingLog()
    let store = InMemoryFactorStore()
    let auth: MultiFactorAuth
    var search = SecretSearch()
    var errors: [any Error] = []
    var values: [Any] = []

    init() async throws {
      _ = CapturedMetrics.shared
      let eventLog = EventLog(logger: log.logger())
      let keyring = try Keyring()
      try await MultiFactorAuth.createStore(store, keyring: keyring)
      auth = try await MultiFactorAuth(
        configuration: MultiFactorConfiguration(
          providerConfigs: [.totp(), .phone(testPhoneNumbers: ["+15550009999": "424242"]), .rememberedBrowsers()]),
        store: store, keyring: keyring, externalFactors: [PhoneFactor(sender: sender), RememberedBrowsers()],
        handlers: MultiFactorHandlers(event: { [recorded] event in
          eventLog.record(event)
          recorded.append(event)
        }),
        clock: { [clock] in clock.now })
    }

    var phones: PhoneAuthProvider { PhoneAuthProvider.provider(auth: auth) }

    /// Runs an operation that fails, and keeps the error.
    func failing(_ code: AuthError.Code, _ work: () async throws -> Void) async {
      do {
        try await work()
        Issue.record("\(code) was expected")
      } catch {
        #expect((error as? AuthError)?.code == code)
        errors.append(error)
      }
    }

    func code(_ key: String, ahead: Int64 = 0) throws -> String {
      let time = Int64(clock.now.timeIntervalSince1970) + ahead * 30
      let code = try TOTP(secret: OTPSecret(base32: key)).code(at: time).description
      search.add(code: code)
      return code
    }

    func token(_ text: String) -> String {
      search.add(text, "token")
      return text
    }

    func resolver() async throws -> MultiFactorResolver {
      do {
        _ = try await auth.signIn(Host.alice, firstFactor: .password)
      } catch let error as AuthError {
        errors.append(error)
        if let resolver = error.resolver { return resolver }
      }
      throw AuthError(.internalError)
    }

    /// The secrets found in what the server wrote and in what its errors and values show.
    func shown(events: [AuditEvent]) -> Set<String> {
      let metrics = CapturedMetrics.shared.all.keys.map { $0.label + " " + $0.dimensions.joined(separator: " ") }
      let texts = log.lines + metrics
      return (errors as [Any] + values + events as [Any]).map(search.shown).reduce(
        into: texts.map(search.found).reduce(into: []) { $0.formUnion($1) }
      ) { $0.formUnion($1) }
    }
  }

  @Test func `No flow writes a secret to logs, metrics or spans, and the search finds a planted one`()
    async throws
  {
    let server = try await Watched()
    try await run(server)
    let events = server.recorded.events

    #expect(server.shown(events: events).isEmpty)
    // The search had something to look through.
    #expect(Set(events.map(\.kind)).count >= 16)
    #expect(server.log.lines.count == events.count)
    #expect(server.errors.count > 15 && server.search.count > 50)

    try await plant(server, events)
  }

  /// Plants each secret where a server writes, and checks that the search finds it.
  private func plant(_ server: Watched, _ events: [AuditEvent]) async throws {
    let key = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
    try server.search.add(key: key)
    let bytes = try Base32.decode(key)
    struct Leaky: Error {
      let inner: [[UInt8]]
    }
    server.errors.append(Leaky(inner: [bytes]))
    #expect(server.shown(events: events) == ["secret"])
    server.errors.removeLast()
    server.values.append(["a": Optional(SMSMessage(phoneNumber: "+15105551234", code: "1", verificationID: "2"))])
    #expect(server.shown(events: events).isEmpty)
    server.values.append(["number: 15105551234"])
    #expect(server.shown(events: events) == ["phone number"])
    server.values = []
    let code = try #require(server.sender.messages.first).code
    server.log.logger().trace("x", metadata: ["y": "code=\(code);"])
    #expect(server.shown(events: events) == ["code"])
  }

  private func run(_ server: Watched) async throws {
    let auth = server.auth
    await server.failing(.unverifiedEmail) {
      _ = try await auth.signIn(Principal(id: "u3"), firstFactor: .password).user.multiFactor.session()
    }
    let user = try await auth.signIn(Host.alice, firstFactor: .password).user
    let key = try await enrollApp(server, user)
    let app = try #require(user.claims.secondFactorIdentifier)
    let phone = try await enrollPhone(server, user)
    try await signIn(server, key, app, phone)
    try await recover(server, user)
    try await remember(server, user)
    try await administer(server)
    try await unenroll(server, user)
  }

  private func enrollApp(_ server: Watched, _ user: User) async throws -> String {
    let session = try await user.multiFactor.session()
    _ = try server.auth.session(from: server.token(session.token()))
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: session)
    let key = secret.sharedSecretKey()
    try server.search.add(key: key)
    _ = try server.auth.totpSecret(from: server.token(secret.token()))
    await server.failing(.invalidMultiFactorSession) { _ = try server.auth.session(from: secret.token()) }
    func assertion(_ code: String) -> MultiFactorAssertion {
      TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: code)
    }
    let far = try server.code(key, ahead: 100)
    await server.failing(.invalidVerificationCode) {
      try await user.multiFactor.enroll(with: assertion(far), displayName: nil)
    }
    let right = try server.code(key)
    server.values += [session, secret, assertion(right), user]
    try await user.multiFactor.enroll(with: assertion(right), displayName: "App")
    await server.failing(.secondFactorAlreadyEnrolled) {
      try await user.multiFactor.enroll(with: assertion(right), displayName: "App")
    }
    _ = try await server.auth.user(from: server.token(user.token()))
    await server.failing(.invalidUserToken) { _ = try await server.auth.user(from: user.token() + "A") }
    return key
  }

  private func enrollPhone(_ server: Watched, _ user: User) async throws -> String {
    let session = try await user.multiFactor.session()
    for number in ["+15105551234", "+15550009999"] { server.search.add(phoneNumber: number) }
    await server.failing(.invalidPhoneNumber) {
      _ = try await server.phones.verifyPhoneNumber("15105551234", multiFactorSession: session)
    }
    server.sender.fails = true
    await server.failing(.internalError) {
      _ = try await server.phones.verifyPhoneNumber("+15105551234", multiFactorSession: session)
    }
    server.sender.fails = false
    for number in ["+15550009999", "+15105551234"] {
      let id = try await server.phones.verifyPhoneNumber(number, multiFactorSession: session)
      let code = number == "+15550009999" ? "424242" : server.sender.lastCode
      server.search.add(code: code)
      func assertion(_ code: String) -> MultiFactorAssertion {
        PhoneMultiFactorGenerator.assertion(
          with: server.phones.credential(withVerificationID: server.token(id), verificationCode: code))
      }
      await server.failing(.invalidVerificationCode) {
        try await user.multiFactor.enroll(with: assertion(otherCode(than: code)), displayName: nil)
      }
      server.values += [assertion(code), server.phones]
      try await user.multiFactor.enroll(with: assertion(code), displayName: nil)
    }
    await server.failing(.secondFactorAlreadyEnrolled) {
      _ = try await server.phones.verifyPhoneNumber("+15105551234", multiFactorSession: session)
    }
    return try #require(user.claims.secondFactorIdentifier)
  }

  private func signIn(_ server: Watched, _ key: String, _ app: String, _ phone: String) async throws {
    server.clock.advance(by: 60)
    let resolver = try await server.resolver()
    _ = try await server.auth.resolver(from: server.token(resolver.token()))
    server.values += [resolver, resolver.hints, resolver.session]
    func assertion(_ code: String, _ uid: String? = nil) -> MultiFactorAssertion {
      TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid ?? app, oneTimePassword: code)
    }
    for code in ["12", try server.code(key, ahead: 9), try server.code(key, ahead: -3)] {
      await server.failing(.invalidVerificationCode) { _ = try await resolver.resolveSignIn(with: assertion(code)) }
    }
    let code = try server.code(key)
    // A client that passes the code as the wrong argument.
    await server.failing(.multiFactorInfoNotFound) {
      _ = try await resolver.resolveSignIn(with: assertion(code, code))
    }
    let result = try await resolver.resolveSignIn(with: assertion(code))
    server.values.append(result)
    for _ in 0..<4 {
      await server.failing(.invalidVerificationCode) { _ = try await resolver.resolveSignIn(with: assertion(code)) }
    }
    await server.failing(.tooManyRequests) { _ = try await resolver.resolveSignIn(with: assertion(code)) }

    let hint = try #require(resolver.hints.first { $0.uid == phone })
    let id = server.token(
      try await server.phones.verifyPhoneNumber(with: hint, multiFactorSession: resolver.session))
    server.search.add(code: server.sender.lastCode)
    let credential = server.phones.credential(withVerificationID: id, verificationCode: server.sender.lastCode)
    server.values.append(credential)
    _ = try await resolver.resolveSignIn(with: PhoneMultiFactorGenerator.assertion(with: credential))
    await server.failing(.invalidVerificationCode) {
      _ = try await resolver.resolveSignIn(with: PhoneMultiFactorGenerator.assertion(with: credential))
    }
    server.clock.advance(by: 600)
    await server.failing(.sessionExpired) { _ = try await resolver.resolveSignIn(with: assertion(code)) }
    server.clock.advance(by: -600)
  }

  private func recover(_ server: Watched, _ user: User) async throws {
    let codes = try await user.multiFactor.generateRecoveryCodes()
    server.values.append(codes)
    for code in codes.codes { try server.search.add(recoveryCode: code) }
    let resolver = try await server.resolver()
    let assertion = RecoveryCodeMultiFactorGenerator.assertionForSignIn(recoveryCode: codes.codes[0])
    server.values.append(assertion)
    _ = try await resolver.resolveSignIn(with: assertion)
    await server.failing(.invalidVerificationCode) { _ = try await resolver.resolveSignIn(with: assertion) }
  }

  private func remember(_ server: Watched, _ user: User) async throws {
    let token = server.token(try await user.multiFactor.rememberBrowser(name: "Firefox", address: "192.0.2.1"))
    server.values.append(try await user.multiFactor.rememberedBrowsers)
    for text in [token, server.token(token + "A")] {
      server.values.append(try await server.auth.beginSignIn(Host.alice, firstFactor: .password, browserToken: text))
    }
    try await user.multiFactor.forgetBrowser(nil)
  }

  private func administer(_ server: Watched) async throws {
    let admin = server.auth.admin
    let secret = try OTPSecret.vector
    try server.search.add(key: secret.base32String())
    let factor = try FactorImport.hotp(secret: secret)
    let uid = try await admin.importFactor(factor, for: "u2")
    let code = try HOTP(secret: secret).code(counter: 0).description
    server.search.add(code: code)
    server.values += [factor, admin, try await admin.users(), try await admin.user("u1").factors]
    server.values.append(try await admin.exportSecrets(of: "u2"))
    try await admin.unlock(uid, of: "u2")
    try await admin.overwriteFactors(of: "u2", with: [factor, .phone(number: "+15105551234")])
    await server.failing(.multiFactorInfoNotFound) { try await admin.removeFactor("none", of: "u2") }
    try await admin.removeFactor(admin.user("u2").factors[0].info.uid, of: "u2")
    // A damaged document.
    try await server.store.update(.user("u2")) { $0 = [1, 2, 3] }
    let counts = try await admin.resealAll()
    #expect(counts == (0, 1))
    try await admin.deleteUser("u2")
  }

  private func unenroll(_ server: Watched, _ user: User) async throws {
    let last = try await user.multiFactor.enrolledFactors
    server.values.append(last)
    let newest = try #require(last.last)
    await server.failing(.invalidUserToken) { try await user.multiFactor.unenroll(with: newest) }
    await server.failing(.userTokenExpired) { _ = try await user.multiFactor.session() }
  }

  @Test func `Dimensions have a few fixed values`() async throws {
    try await run(Watched())
    let kinds = Set(AuditEvent.Kind.allCases.map { "event=\($0.rawValue)" })
    let reasons = Set(AuditEvent.Reason.allCases.map { "reason=\($0.rawValue)" }).union(["reason=none"])
    let factors = Set(["totp", "hotp", "phone", "recovery", "remembered", "none"].map { "factor=\($0)" })
    let all = CapturedMetrics.shared.all
    #expect(all.count > 20)
    for name in all.keys where name.label.hasPrefix("otp_") {
      #expect(["otp_multifactor_events_total", "otp_multifactor_sign_in_duration"].contains(name.label))
      try #require(name.dimensions.count == 3)
      #expect(kinds.contains(name.dimensions[0]))
      #expect(reasons.contains(name.dimensions[1]))
      #expect(factors.contains(name.dimensions[2]))
    }
  }
}
#endif
