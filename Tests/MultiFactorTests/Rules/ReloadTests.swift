import Foundation
import Testing

@testable import MultiFactor

/// Reloading a handle before it expires.
@Suite struct ReloadTests {
  @Test func `Each reload extends a handle by an hour and keeps what was verified`() async throws {
    let (host, user, _, uid) = try await Host.withApp()
    let claims = user.claims
    var token = try user.token()
    for _ in 0..<30 {
      host.clock.advance(by: 3599)
      let restored = try await host.server().user(from: token)
      try await restored.reload()
      token = try restored.token()
      #expect(restored.claims == claims)
      #expect(restored.claims.secondFactorIdentifier == uid)
    }
    host.clock.advance(by: 3600)
    await expectError(.userTokenExpired) { try await host.auth.user(from: token) }
  }

  @Test func `A handle that would now need a second factor is not extended`() async throws {
    let host = try await Host()
    let early = try await host.signIn()
    _ = try await host.enrollTOTP()
    host.clock.advance(by: 3599)
    try await early.reload()
    host.clock.advance(by: 1)
    await expectError(.userTokenExpired) { try await early.reload() }
  }

  @Test func `An expired or revoked handle is not reloaded`() async throws {
    let (host, user, key, uid) = try await Host.withApp()
    host.clock.advance(by: 3600)
    await expectError(.userTokenExpired) { try await user.reload() }
    let again = try await host.resolve(uid, code: host.code(of: key)).user
    try await host.auth.admin.revokeHandles(of: "u1")
    await expectError(.userTokenExpired) { try await again.reload() }
  }

  @Test func `A reload does not make a first factor recent`() async throws {
    let (host, user, _, uid) = try await Host.withApp()
    host.clock.advance(by: 301)
    try await user.reload(with: Host.alice)
    await expectError(.requiresRecentLogin) { try await user.multiFactor.session() }
    await expectError(.requiresRecentLogin) { try await user.multiFactor.unenroll(withFactorUID: uid) }
    await expectError(.secondFactorRequired) { try await user.requireSecondFactor(within: .seconds(300)) }
  }

  @Test func `A reload takes the user's current details from the host, such as an address verified since the sign-in`()
    async throws
  {
    let host = try await Host()
    let user = try await host.signIn(Principal(id: "u1", email: "old@example.com"))
    await expectError(.unverifiedEmail) { try await user.multiFactor.session() }
    try await user.reload(with: Principal(id: "u1", email: "new@example.com", isEmailVerified: true))
    #expect(user.email == "new@example.com" && user.isEmailVerified)
    #expect(user.claims.email == "new@example.com" && user.claims.isEmailVerified)
    _ = try await host.enrollTOTP(as: user)
    #expect(try await host.auth.user(from: user.token()).isEmailVerified)
  }

  @Test(arguments: ["u2", "U1", "", "u1\u{0}", String(repeating: "u", count: 1_000_000)])
  func `A reload cannot change a handle's user`(id: String) async throws {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    let user = try await host.signIn()
    await expectError(.userMismatch) { try await user.reload(with: Principal(id: id)) }
    #expect(log.last == "token_refused mismatch")
    let long = Principal(id: "u1", email: String(repeating: "e", count: 257))
    await expectError(.userMismatch) { try await user.reload(with: long) }
    #expect(user.uid == "u1" && user.email == Host.alice.email)
  }

  @Test func `A reload drops the verification of a removed factor`() async throws {
    let (host, first, key, uid) = try await Host.withApp()
    host.clock.advance(by: 30)
    let user = try await host.resolve(uid, code: host.code(of: key)).user
    _ = try await host.enrollTOTP(as: first)
    try await first.multiFactor.unenroll(withFactorUID: uid)
    try await user.reload()
    #expect(user.claims.secondFactor == nil)
  }

  @Test func `A step-up from a reloaded handle lasts as long as that handle, and no longer`() async throws {
    let host = try await Host()
    let start = host.clock.now
    let (user, key, uid) = try await host.enrollTOTP()
    host.clock.advance(by: 3000)
    try await user.reload()
    host.clock.advance(by: 3000)
    let error = await authError { try await user.requireSecondFactor(within: .seconds(60)) }
    let resolver = try #require(error?.resolver)
    // Another reload does not prolong the step-up under way.
    try await user.reload()
    let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: uid, oneTimePassword: try host.code(of: key))
    let token = try await resolver.resolveSignIn(with: assertion).user.token()
    host.clock.now = start.addingTimeInterval(6599)
    #expect(try await host.auth.user(from: token).claims.authenticationDate == start)
    host.clock.advance(by: 1)
    await expectError(.userTokenExpired) { try await host.auth.user(from: token) }
    #expect(await errorCode { try await user.reload() } == nil)
  }
}
