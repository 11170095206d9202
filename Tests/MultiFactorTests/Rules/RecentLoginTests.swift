import Foundation
import Testing

@testable import MultiFactor

/// Factors change only shortly after a sign-in, and with a second factor if there is one.
@Suite struct RecentLoginTests {
  @Test func `Five minutes after the first factor, every change of factors is refused`() async throws {
    let limit: TimeInterval = 300
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    let start = host.clock.now
    let (user, _, uid) = try await host.enrollTOTP()

    host.clock.now = start.addingTimeInterval(limit)
    _ = try await user.multiFactor.session()
    _ = try await user.multiFactor.generateRecoveryCodes()

    host.clock.now = start.addingTimeInterval(limit + 0.001)
    await expectError(.requiresRecentLogin) { try await user.multiFactor.session() }
    #expect(log.last == "operation_refused not_recent")
    await expectError(.requiresRecentLogin) { try await user.multiFactor.unenroll(withFactorUID: uid) }
    await expectError(.requiresRecentLogin) { try await user.multiFactor.generateRecoveryCodes() }
    #expect(try await user.multiFactor.enrolledFactors.map(\.uid) == [uid])
  }

  @Test func `The configuration sets the interval`() async throws {
    let host = try await Host(
      configuration: MultiFactorConfiguration(providerConfigs: [.totp()], recentLoginInterval: .seconds(60)))
    let user = try await host.signIn()
    host.clock.advance(by: 61)
    await expectError(.requiresRecentLogin) { try await user.multiFactor.session() }
  }

  @Test func `A second factor verified just now does not make an old first factor recent`() async throws {
    let (host, _, key, uid) = try await Host.withApp()
    let resolver = try await host.resolver()
    host.clock.advance(by: 301)
    let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: uid, oneTimePassword: try host.code(of: key))
    let user = try await resolver.resolveSignIn(with: assertion).user
    await expectError(.requiresRecentLogin) { try await user.multiFactor.unenroll(withFactorUID: uid) }
  }

  @Test func `A handle from before the first enrollment can change nothing after it`() async throws {
    let host = try await Host()
    let early = try await host.signIn()
    let session = try await early.multiFactor.session()
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: session)
    let (_, _, uid) = try await host.enrollTOTP()
    #expect(early.claims.secondFactor == nil)

    let assertion = try host.assertion(secret)
    await expectError(.requiresRecentLogin) { try await early.multiFactor.session() }
    await expectError(.requiresRecentLogin) { try await early.multiFactor.enroll(with: assertion, displayName: nil) }
    await expectError(.requiresRecentLogin) { try await early.multiFactor.unenroll(withFactorUID: uid) }
    await expectError(.requiresRecentLogin) { try await early.multiFactor.generateRecoveryCodes() }
    #expect(try await host.account("u1").factors.map(\.uid) == [uid])
  }

  @Test func `A verification by a removed factor no longer counts`() async throws {
    let (host, first, key, uid) = try await Host.withApp()
    host.clock.advance(by: 30)
    let user = try await host.resolve(uid, code: host.code(of: key)).user
    _ = try await host.enrollTOTP(as: first)
    // Not the factor enrolled last, so no handle is revoked.
    try await first.multiFactor.unenroll(withFactorUID: uid)
    await expectError(.requiresRecentLogin) { try await user.multiFactor.session() }
    #expect(user.claims.secondFactorIdentifier == nil)
  }
}
