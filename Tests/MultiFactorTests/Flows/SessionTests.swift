import Foundation
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// What belongs to one user, or to one purpose, is refused for any other.
@Suite struct SessionTests {
  @Test func `Beginning a sign-in returns the user or the resolver, and the payload with either`() async throws {
    let host = try await Host()
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

  @Test func `One user's sign-in does not accept another user's factor`() async throws {
    let (host, _, _, aliceUID) = try await Host.withApp()
    let (_, bobKey, bobUID) = try await host.enrollTOTP(Host.bob)
    host.clock.advance(by: 30)
    let code = try host.code(of: bobKey)
    await expectError(.multiFactorInfoNotFound) { try await host.resolve(bobUID, code: code) }
    await expectError(.invalidVerificationCode) { try await host.resolve(aliceUID, code: code) }
    #expect(try await host.auth.admin.user("u2").factors[0].consecutiveFailures == 0)
    _ = try await host.resolve(bobUID, code: code, by: Host.bob)
  }

  @Test func `A session for one purpose is refused for the other`() async throws {
    let (host, user, _, _) = try await Host.withApp()
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

  @Test func `A secret that another store's server made is not enrolled`() async throws {
    let (host, other) = (try await Host(), try await Host())
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: other.signIn().multiFactor.session())
    let user = try await host.signIn()
    let assertion = try host.assertion(secret)
    await expectError(.invalidMultiFactorSession) {
      try await user.multiFactor.enroll(with: assertion, displayName: nil)
    }
  }

  @Test func `Two spellings of a user name are two users, even if they look the same`() async throws {
    let host = try await Host()
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

  @Test func `A token is refused for another user than the host expects`() async throws {
    let host = try await Host()
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
    await expectError(.userMismatch) { try host.auth.secret(from: tokens.secret, for: "u1") }
    await expectError(.userMismatch) { try await host.auth.resolver(from: resolverToken, for: "u1") }
    _ = try await host.auth.resolver(from: resolverToken, for: "u2")
  }

  @Test func `A resolver that is restored from a token expires when the original does`() async throws {
    let (host, _, key, uid) = try await Host.withApp()
    let resolver = try await host.resolver()
    host.clock.advance(by: 599)
    let restored = try await host.auth.resolver(from: resolver.token())
    host.clock.advance(by: 1)
    let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: uid, oneTimePassword: try host.code(of: key))
    await expectError(.sessionExpired) { try await restored.resolveSignIn(with: assertion) }
  }
}
