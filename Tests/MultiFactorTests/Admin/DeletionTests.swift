import Foundation
import MultiFactorBrowsers
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor

/// What a deletion leaves. (That it ends all handles is in `Model`.)
@Suite struct DeletionTests {
  @Test func `A document that does not open can be deleted, and this revokes the user's handles`() async throws {
    let (host, user, _, _) = try await Host.withApp()
    try await host.store.update(.user("u1")) { document in document?[40] ^= 1 }
    await expectError(.internalError) { try await user.reload() }
    #expect(try await host.auth.admin.deleteUser("u1") == false)
    await expectError(.userTokenExpired) { try await user.reload() }
    try await host.signIn().reload()
    host.clock.advance(by: 3600 + 2 * 86_400)
    #expect(try await host.auth.admin.deleteUser("u1") == true)
    #expect(try await host.store.document(.user("u1")) == nil)
  }

  @Test func `A deletion ends the current generation, whatever number is drawn at random`() {
    let now = TestClock().now
    for stride in [0, 1, .max] as [UInt64] {
      var account = Account(latestTime: now, generation: 7)
      #expect(account.delete(at: now, after: 3600, raisingBy: stride) == false)
      #expect(account == Account(latestTime: now, generation: 7 &+ max(1, stride)))
    }
  }

  @Test func `Codes that a deleted user has used stay spent for a while, and nothing else is kept`() async throws {
    let host = try await Host()
    let admin = host.auth.admin
    let (user, key, uid) = try await host.enrollTOTP()
    _ = try await host.enrollPhone(as: user)
    _ = try await host.browsers.remember(for: user, name: "Firefox")
    host.clock.advance(by: 30)
    let spent = try host.code(of: key)
    _ = try await host.resolve(uid, code: spent)
    for _ in 0..<2 { #expect(try await admin.deleteUser("u1") == false) }
    for kind in ["phone", "remembered"] {
      #expect(try await host.store.document(.external(FactorKind(rawValue: kind), "u1")) == nil)
    }
    #expect(try await admin.user("u1").history.isEmpty)
    try await admin.importFactor(.totp(secret: OTPSecret(base32: key), uid: uid), for: "u1")
    await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: spent) }
  }
}
