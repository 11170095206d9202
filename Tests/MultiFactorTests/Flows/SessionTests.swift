import Foundation
import OTP
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// What belongs to one user, or to one purpose, is refused for any other.
@Suite struct SessionTests {
  @Test(arguments: StoreKind.available)
  func `Beginning a sign-in returns the user or the resolver, and the payload with either`(on kind: StoreKind)
    async throws
  {
    let host = try await Host(kind)
    let payload = Array("from the provider".utf8)
    guard
      case .signedIn(let result) = try await host.auth.beginSignIn(
        Host.alice, firstFactor: .password, payload: payload)
    else { throw NothingToChooseFrom() }
    #expect(result.payload == payload && result.user.claims.secondFactor == nil)
    let (_, key, uid) = try await host.enrollTOTP(as: result.user)
    guard
      case .secondFactorRequired(let resolver) = try await host.auth.beginSignIn(
        Host.alice, firstFactor: .password, payload: payload)
    else { throw NothingToChooseFrom() }
    host.clock.advance(by: 30)
    let signedIn = try await resolver.resolveSignIn(
      with: TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: host.code(of: key)))
    #expect(signedIn.payload == payload && signedIn.user.claims.secondFactorIdentifier == uid)
    let long = [UInt8](repeating: 0, count: MultiFactorAuth.maximumPayloadByteCount + 1)
    await expectError(.invalidCredential) {
      try await host.auth.beginSignIn(Host.alice, firstFactor: .password, payload: long)
    }
  }

  @Test(arguments: StoreKind.available)
  func `One user's sign-in does not accept another user's factor`(on kind: StoreKind) async throws {
    let (host, _, _, aliceUID) = try await Host.withApp(kind)
    let (_, bobKey, bobUID) = try await host.enrollTOTP(Host.bob)
    host.clock.advance(by: 30)
    let code = try host.code(of: bobKey)
    await expectError(.multiFactorInfoNotFound) { try await host.resolve(bobUID, code: code) }
    await expectError(.invalidVerificationCode) { try await host.resolve(aliceUID, code: code) }
    #expect(try await host.auth.admin.user("u2").factors[0].consecutiveFailures == 0)
    _ = try await host.resolve(bobUID, code: code, by: Host.bob)
  }

  @Test(arguments: StoreKind.available)
  func `A secret made for one user cannot be enrolled by another`(on kind: StoreKind) async throws {
    let host = try await Host(kind)
    let alice = try await host.signIn()
    let bob = try await host.signIn(Host.bob)
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: alice.multiFactor.session())
    let assertion = try host.assertion(secret)
    await expectError(.userMismatch) { try await bob.multiFactor.enroll(with: assertion, displayName: nil) }
    #expect(try await host.account("u2").factors.isEmpty)
  }

  @Test(arguments: StoreKind.available)
  func `A session for one purpose is refused for the other`(on kind: StoreKind) async throws {
    let (host, user, _, _) = try await Host.withApp(kind)
    _ = try await host.enrollPhone(as: user)
    let resolver = try await host.resolver()
    let provider = PhoneAuthProvider.provider(auth: host.auth)
    await expectError(.invalidMultiFactorSession) {
      try await TOTPMultiFactorGenerator.generateSecret(with: resolver.session)
    }
    await expectError(.invalidMultiFactorSession) {
      try await provider.verifyPhoneNumber("+15105550000", multiFactorSession: resolver.session)
    }
    let session = try await user.multiFactor.session()
    let hint = try #require(resolver.hints.last)
    await expectError(.invalidMultiFactorSession) {
      try await provider.verifyPhoneNumber(with: hint, multiFactorSession: session)
    }
  }

  @Test(arguments: StoreKind.available)
  func `A sign-in under way is revoked with the user's handles`(on kind: StoreKind) async throws {
    let (host, user, key, uid) = try await Host.withApp(kind)
    let resolver = try await host.resolver()
    let resolverToken = try resolver.token()
    let userToken = try user.token()
    try await host.auth.admin.revokeHandles(of: "u1")
    host.clock.advance(by: 30)
    let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: uid, oneTimePassword: try host.code(of: key))
    await expectError(.userTokenExpired) { try await resolver.resolveSignIn(with: assertion) }
    await expectError(.userTokenExpired) { try await host.auth.resolver(from: resolverToken) }
    await expectError(.userTokenExpired) { try await host.auth.user(from: userToken) }
    await expectError(.userTokenExpired) { try await user.multiFactor.session() }
    _ = try await host.resolve(uid, code: host.code(of: key))
  }

  @Test(arguments: StoreKind.available)
  func `A resolver expires, even if it was kept in memory`(on kind: StoreKind) async throws {
    let (host, _, key, uid) = try await Host.withApp(kind)
    let resolver = try await host.resolver()
    host.clock.advance(by: 599)
    let restored = try await host.auth.resolver(from: resolver.token())
    host.clock.advance(by: 1)
    let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: uid, oneTimePassword: try host.code(of: key))
    await expectError(.sessionExpired) { try await resolver.resolveSignIn(with: assertion) }
    await expectError(.sessionExpired) { try await restored.resolveSignIn(with: assertion) }
    // Whatever code was typed.
    let malformed = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: "x")
    await expectError(.sessionExpired) { try await resolver.resolveSignIn(with: malformed) }
  }

  @Test(arguments: StoreKind.available)
  func `A secret being enrolled expires with its session`(on kind: StoreKind) async throws {
    let host = try await Host(kind)
    let user = try await host.signIn()
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
    host.clock.advance(by: 600)
    let again = try await host.signIn()
    let assertion = try host.assertion(secret)
    await expectError(.sessionExpired) { try await again.multiFactor.enroll(with: assertion, displayName: nil) }
  }

  @Test func `A secret that another store's server made is not enrolled`() async throws {
    let (host, other) = (try await Host(), try await Host())
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: other.signIn().multiFactor.session())
    let user = try await host.signIn()
    let assertion = try host.assertion(secret)
    await expectError(.invalidMultiFactorSession) {
      try await user.multiFactor.enroll(with: assertion, displayName: nil)
    }
  }

  @Test(arguments: StoreKind.available)
  func `No call returns the secret of an enrolled factor`(on kind: StoreKind) async throws {
    let (host, user, key, uid) = try await Host.withApp(kind)
    host.clock.advance(by: 30)
    let resolver = try await host.resolver()
    let answers: [Any] = [
      user, user.claims, user.multiFactor, try await user.multiFactor.enrolledFactors, resolver, resolver.hints,
      resolver.session, try await host.auth.admin.user("u1").factors, try await host.auth.admin.users(),
      try await host.account("u1"), host.auth,
      try await user.multiFactor.session(), try resolver.token(), try user.token(),
    ]
    let secret = try OTPSecret(base32: key).withBytes { bytes in bytes.indices.map { bytes[$0] } }
    for answer in answers {
      var text = String(describing: answer) + String(reflecting: answer)
      dump(answer, to: &text)
      #expect(!text.contains(key))
      #expect(!text.contains(secret.map { "\($0)" }.joined(separator: ", ")))
    }
    #expect(String(describing: answers).contains(uid), "the answers are those of another user")
  }
}
