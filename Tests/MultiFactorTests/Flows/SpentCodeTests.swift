import Foundation
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// Roundabout ways to get a code accepted twice, or an invalid proof counted.
@Suite struct SpentCodeTests {
  @Test(arguments: StoreKind.available)
  func `A secret whose factor was removed cannot be enrolled again with a spent code`(on kind: StoreKind) async throws {
    let host = try await Host(kind)
    let user = try await host.signIn()
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
    let (token, key) = (try secret.token(), secret.sharedSecretKey())
    func enroll(_ secret: TOTPSecret, _ code: String) async throws {
      let assertion = TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: code)
      try await user.multiFactor.enroll(with: assertion, displayName: nil)
    }
    try await enroll(secret, host.code(of: key))
    // Another factor is enrolled after it, so that its removal revokes nothing.
    _ = try await host.enrollTOTP(as: user)
    host.clock.advance(by: 30)
    let spent = try host.code(of: key)
    _ = try await host.resolve(secret.content.uid, code: spent)
    try await user.multiFactor.unenroll(withFactorUID: secret.content.uid)
    let again = try host.auth.totpSecret(from: token)
    await expectError(.invalidVerificationCode) { try await enroll(again, spent) }
    host.clock.advance(by: 30)
    try await enroll(again, host.code(of: key))
  }

  @Test(arguments: StoreKind.available)
  func `A secret made before a revocation cannot be enrolled after it`(on kind: StoreKind) async throws {
    let host = try await Host(kind)
    let user = try await host.signIn()
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
    try await host.auth.admin.revokeHandles(of: "u1")
    let later = try await host.signIn()
    let assertion = try host.assertion(secret)
    await expectError(.userTokenExpired) { try await later.multiFactor.enroll(with: assertion, displayName: nil) }
  }

  @Test(arguments: StoreKind.available)
  func `A handle from before a revocation cannot enroll a secret made after it`(on kind: StoreKind) async throws {
    let host = try await Host(kind)
    let revoked = try await host.signIn()
    try await host.auth.admin.revokeHandles(of: "u1")
    let later = try await host.signIn()
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: later.multiFactor.session())
    let assertion = try host.assertion(secret)
    await expectError(.userTokenExpired) { try await revoked.multiFactor.enroll(with: assertion, displayName: nil) }
    try await later.multiFactor.enroll(with: assertion, displayName: nil)
  }

  @Test(arguments: StoreKind.available)
  func `An overwrite ends codes sent before it`(on kind: StoreKind) async throws {
    let host = try await Host(kind)
    let session = try await host.signIn().multiFactor.session()
    let id = try await host.phones.verifyPhoneNumber("+15105551234", multiFactorSession: session)
    try await host.auth.admin.overwriteFactors(of: "u1", with: [])
    let later = try await host.signIn()
    let assertion = PhoneMultiFactorGenerator.assertion(
      with: host.phones.credential(withVerificationID: id, verificationCode: host.sender.lastCode))
    await expectError(.invalidVerificationCode) {
      try await later.multiFactor.enroll(with: assertion, displayName: nil)
    }
  }

  @Test(arguments: [nil, 1] as [UInt64?], StoreKind.available)
  func `An overwrite with the same secret does not make a spent code valid again`(
    lastAcceptedStep: UInt64?, on kind: StoreKind
  ) async throws {
    let (host, _, key, uid) = try await Host.withApp(kind)
    host.clock.advance(by: 30)
    let spent = try host.code(of: key)
    _ = try await host.resolve(uid, code: spent)
    let same = try FactorImport.totp(
      secret: OTPSecret(base32: key), lastAcceptedStep: lastAcceptedStep)
    let new = try #require(try await host.auth.admin.overwriteFactors(of: "u1", with: [same]).first)
    await expectError(.invalidVerificationCode) { try await host.resolve(new, code: spent) }
    host.clock.advance(by: 30)
    _ = try await host.resolve(new, code: host.code(of: key))
  }

  @Test(arguments: StoreKind.available)
  func `A revoked sign-in does not use up an attempt`(on kind: StoreKind) async throws {
    let (host, _, key, uid) = try await Host.withApp(kind)
    let resolver = try await host.resolver()
    try await host.auth.admin.revokeHandles(of: "u1")
    let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: uid, oneTimePassword: try host.wrongCode(for: key))
    for _ in 0..<20 {
      await expectError(.userTokenExpired) { try await resolver.resolveSignIn(with: assertion) }
    }
    #expect(try await host.auth.admin.user("u1").factors[0].consecutiveFailures == 0)
  }

  @Test(arguments: StoreKind.available)
  func `An overwrite ends the recovery codes, and an administrator can also end them by themselves`(
    on kind: StoreKind
  ) async throws {
    let (host, user, _, _) = try await Host.withApp(kind)
    var codes = try await user.multiFactor.generateRecoveryCodes().codes
    try await host.auth.admin.removeRecoveryCodes(of: "u1")
    await expectError(.invalidVerificationCode) { try await host.recover(codes[0]) }

    codes = try await user.multiFactor.generateRecoveryCodes().codes
    let uids = try await host.auth.admin.overwriteFactors(of: "u1", with: [.totp(secret: .random())])
    await expectError(.invalidVerificationCode) { try await host.recover(codes[0]) }
    #expect(try await host.auth.admin.user("u1").factors.map(\.info.uid) == uids)
  }

  @Test(arguments: StoreKind.available)
  func `A used or expired message code costs an attempt, as a wrong one does`(on kind: StoreKind)
    async throws
  {
    let (host, _, uid) = try await Host.withPhone(kind)
    let (resolver, id) = try await host.challenge(uid)
    let code = host.sender.lastCode
    _ = try await host.answer(id, code, resolver)
    await expectError(.invalidVerificationCode) { try await host.answer(id, code, resolver) }
    #expect(try await host.auth.admin.user("u1").factors[0].consecutiveFailures == 1)
    let (later, late) = try await host.challenge(uid)
    host.clock.advance(by: 300)
    await expectError(.invalidVerificationCode) { try await host.answer(late, host.sender.lastCode, later) }
    #expect(try await host.auth.admin.user("u1").factors[0].consecutiveFailures == 2)
  }

  @Test(arguments: StoreKind.available)
  func `Two spellings of a user name are two users, even if they look the same`(on kind: StoreKind) async throws {
    let host = try await Host(kind)
    let (one, other) = ("jos\u{E9}", "jose\u{301}")
    #expect(one == other)
    let user = try await host.signIn(Principal(id: one, email: "a@example.com", isEmailVerified: true))
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
    let stranger = try await host.signIn(Principal(id: other, email: "b@example.com", isEmailVerified: true))
    let assertion = try host.assertion(secret)
    await expectError(.userMismatch) { try await stranger.multiFactor.enroll(with: assertion, displayName: nil) }
    let token = try user.token()
    await expectError(.userMismatch) { try await host.auth.user(from: token, for: other) }
    _ = try await host.auth.user(from: token, for: one)
  }

  @Test(arguments: StoreKind.available)
  func `A token is refused for another user than the host expects`(on kind: StoreKind) async throws {
    let host = try await Host(kind)
    let user = try await host.signIn(Host.bob)
    let session = try await user.multiFactor.session()
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: session)
    let tokens = (user: try user.token(), session: try session.token(), secret: try secret.token())
    _ = try await host.enrollTOTP(as: user)
    let resolver = try await host.resolver(Host.bob)
    #expect(resolver.uid == "u2" && session.uid == "u2")
    let resolverToken = try resolver.token()
    await expectError(.userMismatch) { try await host.auth.user(from: tokens.user, for: "u1") }
    await expectError(.userMismatch) { try host.auth.session(from: tokens.session, for: "u1") }
    await expectError(.userMismatch) { try host.auth.totpSecret(from: tokens.secret, for: "u1") }
    await expectError(.userMismatch) { try await host.auth.resolver(from: resolverToken, for: "u1") }
    _ = try await host.auth.resolver(from: resolverToken, for: "u2")
  }

  @Test(arguments: StoreKind.available)
  func `A step-up lasts no longer than the sign-in, and cannot be completed after it`(on kind: StoreKind) async throws {
    let (host, user, key, uid) = try await Host.withApp(kind)
    func stepUp() async throws -> MultiFactorResolver {
      do { try await user.requireSecondFactor(within: .seconds(0)) } catch let error as AuthError
        where error.code == .secondFactorRequired
      {
        return try #require(error.resolver)
      }
      throw AuthError(.internalError)
    }
    host.clock.advance(by: 3300)
    let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: uid, oneTimePassword: try host.code(of: key))
    let handle = try await stepUp().resolveSignIn(with: assertion).user
    let late = try await stepUp()
    host.clock.advance(by: 300)
    await expectError(.userTokenExpired) { try await handle.multiFactor.enrolledFactors }
    let next = TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: uid, oneTimePassword: try host.code(of: key))
    await expectError(.sessionExpired) { try await late.resolveSignIn(with: next) }
    #expect(try await host.auth.admin.user("u1").factors[0].consecutiveFailures == 0)
  }

  @Test(arguments: StoreKind.available)
  func `A verification by a provider that has since been disabled does not count`(on kind: StoreKind) async throws {
    let (host, user, _) = try await Host.withPhone(kind)
    let token = try user.token()
    let after = try await Host(
      store: host.store, keyring: host.keyring,
      configuration: MultiFactorConfiguration(providerConfigs: [.totp(), .phone(state: .disabled)]))
    let same = try await after.auth.user(from: token)
    await expectError(.secondFactorRequired) { try await same.requireSecondFactor(within: .seconds(300)) }
    await expectError(.requiresRecentLogin) { try await same.multiFactor.session() }
  }

  @Test(arguments: StoreKind.available)
  func `A session from another server with its own keyring is refused`(on kind: StoreKind) async throws {
    let host = try await Host(kind)
    let other = try await Host(kind)
    let session = try await host.signIn().multiFactor.session()
    await expectError(.invalidMultiFactorSession) {
      try await other.phones.verifyPhoneNumber("+15105551234", multiFactorSession: session)
    }
  }
}
