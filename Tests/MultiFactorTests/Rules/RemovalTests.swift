import Foundation
import MultiFactorBrowsers
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor

/// What the removal of a factor also ends.
@Suite struct RemovalTests {
  @Test func `Removing the most recently enrolled of several factors signs the user out`() async throws {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    let (user, key, uid) = try await host.enrollTOTP()
    let (_, phone) = try await host.enrollPhone(as: user)
    host.clock.advance(by: 30)
    let other = try await host.resolve(uid, code: host.code(of: key)).user
    let tokens = try [user.token(), other.token()]

    let events = await log.summaries {
      await expectError(.invalidUserToken) { try await user.multiFactor.unenroll(withFactorUID: phone) }
    }
    #expect(events == ["unenrolled", "handles_revoked"])
    for handle in [user, other] {
      await expectError(.userTokenExpired) { try await handle.multiFactor.enrolledFactors }
      await expectError(.userTokenExpired) { try await handle.multiFactor.session() }
      await expectError(.userTokenExpired) { try await handle.multiFactor.unenroll(withFactorUID: uid) }
      await expectError(.userTokenExpired) { try await handle.requireSecondFactor(within: .seconds(3600)) }
    }
    for token in tokens { await expectError(.userTokenExpired) { try await host.auth.user(from: token) } }

    host.clock.advance(by: 30)
    let again = try await host.resolve(uid, code: host.code(of: key)).user
    #expect(try await again.multiFactor.enrolledFactors.map(\.uid) == [uid])
  }

  @Test func `Removing an earlier factor revokes nothing`() async throws {
    let (host, user, _, uid) = try await Host.withApp()
    let (_, phone) = try await host.enrollPhone(as: user)
    let token = try user.token()
    try await user.multiFactor.unenroll(withFactorUID: uid)
    #expect(try await user.multiFactor.enrolledFactors.map(\.uid) == [phone])
    _ = try await host.auth.user(from: token)
  }

  @Test func `Removing the only factor leaves the handles valid, without second-factor claims`() async throws {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    let (user, key, uid) = try await host.enrollTOTP()
    host.clock.advance(by: 30)
    let other = try await host.resolve(uid, code: host.code(of: key)).user
    let tokens = try [user.token(), other.token()]
    let events = try await log.summaries { try await user.multiFactor.unenroll(withFactorUID: uid) }
    #expect(events == ["unenrolled"])
    #expect(user.claims.secondFactor == nil)
    for token in tokens { #expect(try await host.auth.user(from: token).claims.secondFactor == nil) }
    // Another handle that verified this factor loses the claim when it is used.
    await expectError(.multiFactorInfoNotFound) { try await other.requireSecondFactor(within: .seconds(60)) }
    #expect(other.claims.secondFactor == nil)
    _ = try await host.enrollTOTP(as: user)
  }

  @Test func `A handle whose factor is removed loses its claim on every server`() async throws {
    let (host, first, key, uid) = try await Host.withApp()
    host.clock.advance(by: 30)
    let others = try await host.resolve(uid, code: host.code(of: key)).user
    let token = try others.token()
    let (_, _, last) = try await host.enrollTOTP(as: first)
    try await first.multiFactor.unenroll(withFactorUID: uid)
    #expect(first.claims.secondFactorIdentifier == last)
    for auth in [host.auth, try await host.server()] {
      let restored = try await auth.user(from: token)
      #expect([restored.claims.secondFactor, restored.claims.secondFactorIdentifier] == [nil, nil])
      #expect(restored.claims.secondFactorDate == nil)
      await expectError(.secondFactorRequired) { try await restored.requireSecondFactor(within: .seconds(60)) }
      await expectError(.requiresRecentLogin) { try await restored.multiFactor.session() }
    }
    _ = try await others.multiFactor.enrolledFactors
    #expect(others.claims.secondFactor == nil)
  }

  @Test func `A handle that removes its own factor loses the claim at once`() async throws {
    let (host, user, key, uid) = try await Host.withApp()
    _ = try await host.enrollTOTP(as: user)
    host.clock.advance(by: 30)
    let own = try await host.resolve(uid, code: host.code(of: key)).user
    try await own.multiFactor.unenroll(withFactorUID: uid)
    #expect(own.claims.secondFactor == nil)
    #expect(try await host.auth.user(from: own.token()).claims.secondFactor == nil)
  }

  @Test
  func `A recovery code's sign-in does not count for factors enrolled after all earlier ones were removed`()
    async throws
  {
    let (host, user, _, uid) = try await Host.withApp()
    let codes = try await user.multiFactor.generateRecoveryCodes().codes
    let recovered = try await host.recover(codes[0]).user
    try await recovered.requireSecondFactor(within: .seconds(60))
    let token = try recovered.token()
    try await user.multiFactor.unenroll(withFactorUID: uid)
    #expect(try await host.auth.user(from: token).claims.secondFactor == nil)
    _ = try await host.enrollTOTP(as: user)
    #expect(try await host.auth.user(from: token).claims.secondFactor == nil)
    await expectError(.secondFactorRequired) { try await recovered.requireSecondFactor(within: .seconds(60)) }
    await expectError(.requiresRecentLogin) { try await recovered.multiFactor.session() }
  }

  @Test(arguments: StoreKind.available)
  func `Nothing of a removed factor counts for one imported under its name, at the same time or after 101 removals`(
    on kind: StoreKind
  ) async throws {
    for removals in [1, 102] {
      let host = try await Host.remembering(kind)
      let (user, _, uid) = try await host.enrollTOTP()
      let browser = try await user.multiFactor.rememberBrowser()
      let handle = try user.token()
      let secret = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
      let recovered = try await host.recover(user.multiFactor.generateRecoveryCodes().codes[0]).user
      let admin = host.auth.admin
      // By the dates of removals, only one that is remembered, and later than the verification, would be noticed.
      if removals > 1 { host.clock.advance(by: 1) }
      try await admin.removeFactor(uid, of: "u1")
      for _ in 1..<removals {
        try await admin.importFactor(.totp(secret: .vector, uid: "another"), for: "u1")
        try await admin.removeFactor("another", of: "u1")
      }
      let date = host.clock.now - 60
      try await admin.importFactor(.totp(secret: .vector, uid: uid, enrollmentDate: date), for: "u1")
      #expect(try await host.signIn(from: browser) == nil)
      for user in [user, recovered, try await host.auth.user(from: handle)] {
        await expectError(.secondFactorRequired) { try await user.requireSecondFactor(within: .seconds(3600)) }
        await expectError(.requiresRecentLogin) { try await user.multiFactor.session() }
        await expectError(.requiresRecentLogin) {
          try await user.multiFactor.enroll(with: host.assertion(secret), displayName: nil)
        }
        #expect(user.claims.secondFactor == nil)
      }
    }
  }

  @Test func `The last factor is the most recently enrolled one, even after an older one was removed`() async throws {
    let (host, user, _, first) = try await Host.withApp()
    let (_, _, second) = try await host.enrollTOTP(as: user)
    let (_, _, third) = try await host.enrollTOTP(as: user)
    try await user.multiFactor.unenroll(withFactorUID: second)
    try await user.multiFactor.unenroll(withFactorUID: first)
    // By now it is the only factor.
    try await user.multiFactor.unenroll(withFactorUID: third)
    #expect(try await user.multiFactor.enrolledFactors.isEmpty)
    // Without a second factor, the first one is enough to sign in again.
    #expect(try await host.signIn().claims.secondFactor == nil)
  }

  @Test func `Recovery codes are removed with the last factor, and not before`() async throws {
    let (host, user, key, uid) = try await Host.withApp()
    let (_, _, last) = try await host.enrollTOTP(as: user)
    let codes = try await user.multiFactor.generateRecoveryCodes().codes
    await expectError(.invalidUserToken) { try await user.multiFactor.unenroll(withFactorUID: last) }
    #expect(try await host.account("u1").recoveryCodes.count == 10)

    host.clock.advance(by: 30)
    let again = try await host.resolve(uid, code: host.code(of: key)).user
    await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: host.wrongCode(for: key)) }
    try await again.multiFactor.unenroll(withFactorUID: uid)
    #expect(try await host.account("u1").recoveryCodes.count == 0)
    // No one could unlock it.
    #expect(try await host.account("u1").failures == 0)
    _ = try await host.enrollTOTP(as: again)
    #expect(try await host.resolver().hasRecoveryCodes == false)
    await expectError(.invalidVerificationCode) { try await host.recover(codes[0]) }
  }

  @Test func `A missing factor, or another user's, is not removed`() async throws {
    let (host, user, _, _) = try await Host.withApp()
    let (_, _, bobs) = try await host.enrollTOTP(Host.bob)
    for uid in [bobs, "", "no such factor"] {
      await expectError(.multiFactorInfoNotFound) { try await user.multiFactor.unenroll(withFactorUID: uid) }
    }
    #expect(try await host.account("u2").factors.count == 1)
  }
}
