import Foundation
import Testing

@testable import MultiFactor

/// What the removal of a factor takes with it.
@Suite struct RemovalTests {
  @Test func `Removing the factor enrolled last revokes all handles until the next sign-in`() async throws {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    let (user, key, uid) = try await host.enrollTOTP()
    let (_, phone) = try await host.enrollPhone(as: user)
    host.clock.advance(by: 30)
    let other = try await host.resolve(uid, code: host.code(of: key)).user
    let tokens = try [user.token, other.token]

    let events = try await log.summaries { try await user.multiFactor.unenroll(withFactorUID: phone) }
    #expect(events == ["unenrolled", "handles_revoked"])
    for handle in [user, other] {
      #expect(await errorCode { try await handle.multiFactor.enrolledFactors } == .userTokenExpired)
      #expect(await errorCode { try await handle.multiFactor.session() } == .userTokenExpired)
      #expect(await errorCode { try await handle.multiFactor.unenroll(withFactorUID: uid) } == .userTokenExpired)
      #expect(await errorCode { try await handle.requireSecondFactor(within: 3600) } == .userTokenExpired)
    }
    for token in tokens { #expect(await errorCode { try await host.auth.user(from: token) } == .userTokenExpired) }

    host.clock.advance(by: 30)
    let again = try await host.resolve(uid, code: host.code(of: key)).user
    #expect(try await again.multiFactor.enrolledFactors.map(\.uid) == [uid])
  }

  @Test func `Removing another one revokes nothing`() async throws {
    let host = try await Host()
    let (user, _, uid) = try await host.enrollTOTP()
    let (_, phone) = try await host.enrollPhone(as: user)
    let token = try user.token
    try await user.multiFactor.unenroll(withFactorUID: uid)
    #expect(try await user.multiFactor.enrolledFactors.map(\.uid) == [phone])
    _ = try await host.auth.user(from: token)
  }

  @Test func `Last is by enrolment, also after an older one was removed`() async throws {
    let host = try await Host()
    let (user, _, first) = try await host.enrollTOTP()
    let (_, _, second) = try await host.enrollTOTP(as: user)
    let (_, _, third) = try await host.enrollTOTP(as: user)
    try await user.multiFactor.unenroll(withFactorUID: second)
    try await user.multiFactor.unenroll(withFactorUID: first)
    try await user.multiFactor.unenroll(withFactorUID: third)
    #expect(await errorCode { try await user.multiFactor.session() } == .userTokenExpired)
    // Without a factor, the first one signs in alone again.
    #expect(try await host.signIn().claims.secondFactor == nil)
  }

  @Test func `Recovery codes go with the last factor, and not before`() async throws {
    let host = try await Host()
    let (user, key, uid) = try await host.enrollTOTP()
    let (_, _, last) = try await host.enrollTOTP(as: user)
    let codes = try await user.multiFactor.generateRecoveryCodes().codes
    try await user.multiFactor.unenroll(withFactorUID: last)
    #expect(try await host.account("u1").recoveryCodes.count == 10)

    host.clock.advance(by: 30)
    let again = try await host.resolve(uid, code: host.code(of: key)).user
    try await again.multiFactor.unenroll(withFactorUID: uid)
    #expect(try await host.account("u1").recoveryCodes.count == 0)
    _ = try await host.enrollTOTP()
    #expect(try await host.resolver().hasRecoveryCodes == false)
    #expect(await errorCode { try await host.recover(codes[0]) } == .invalidVerificationCode)
  }

  @Test func `A factor that is not there, or another user's, is not removed`() async throws {
    let host = try await Host()
    let (user, _, _) = try await host.enrollTOTP()
    let (_, _, bobs) = try await host.enrollTOTP(Host.bob)
    for uid in [bobs, "", "no such factor"] {
      #expect(await errorCode { try await user.multiFactor.unenroll(withFactorUID: uid) } == .multiFactorInfoNotFound)
    }
    #expect(try await host.account("u2").factors.count == 1)
  }
}
