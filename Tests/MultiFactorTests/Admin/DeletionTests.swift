import Foundation
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor

/// Handles and sign-ins of a user whom the host has deleted.
@Suite struct DeletionTests {
  @Test func `No handle of a deleted user becomes valid again, however often the user is deleted and created again`()
    async throws
  {
    let host = try await Host()
    let admin = host.auth.admin
    var handles: [User] = []
    var wasGone: [Bool] = []
    let long = 3600 + 2 * Int(Account.maximumClockDifference)
    for (round, pause) in [0, 0, long, 0, 0, long, long, 1800, 0, long].enumerated() {
      let user = try await host.signIn()
      // One in three has a factor, so the document holds more than a deletion leaves.
      if round % 3 == 0 { _ = try await host.enrollTOTP(as: user) }
      handles.append(user)
      // A reload makes the handle last for an hour from now on.
      for _ in 0..<2 * (pause / 3600) {
        host.clock.advance(by: 1800)
        try await user.reload()
      }
      wasGone.append(try await admin.deleteUser("u1"))
      for handle in handles { await expectError(.userTokenExpired) { try await handle.reload() } }
      // Nor does a revocation, which raises the generation by one, make any of them valid.
      try await admin.revokeHandles(of: "u1")
      for handle in handles { await expectError(.userTokenExpired) { try await handle.reload() } }
      _ = try await admin.deleteUser("u1")
    }
    #expect(wasGone == [false, false, true, false, false, true, false, false, false, false])
  }

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

  @Test(arguments: [0, 7200, 86_400] as [TimeInterval])
  func `No handle of a deleted user is valid on a machine with a slow clock, or after the deletion is forgotten`(
    behind: TimeInterval
  ) async throws {
    let host = try await Host()
    for hours in [0, 1, 2, 12, 24, 25, 47, 48, 49, 72] as [TimeInterval] {
      let principal = Principal(id: "u\(hours)", email: "alice@example.com", isEmailVerified: true)
      // Signed in on the machine with the fastest clock, and deleted on the one with the slowest.
      host.clock.advance(by: behind)
      let user = try await host.signIn(principal)
      host.clock.advance(by: -behind)
      #expect(try await host.auth.admin.deleteUser(principal.id) == false)
      // Deleted again on the fastest, and used on the slowest.
      host.clock.advance(by: hours * 3600 + behind)
      let isGone = try await host.auth.admin.deleteUser(principal.id)
      #expect(isGone == (hours * 3600 + behind >= 3600 + 2 * 86_400))
      host.clock.advance(by: -behind)
      await expectError(.userTokenExpired) { try await user.reload() }
    }
  }

  @Test func `Codes that a deleted user has used stay spent for a while, and nothing else is kept`() async throws {
    let host = try await Host()
    let admin = host.auth.admin
    let (user, key, uid) = try await host.enrollTOTP()
    _ = try await host.enrollPhone(as: user)
    host.clock.advance(by: 30)
    let spent = try host.code(of: key)
    _ = try await host.resolve(uid, code: spent)
    for _ in 0..<2 { #expect(try await admin.deleteUser("u1") == false) }
    #expect(try await host.store.document(.external(FactorKind(rawValue: "phone"), "u1")) == nil)
    #expect(try await admin.user("u1").history.isEmpty)
    try await admin.importFactor(.totp(secret: OTPSecret(base32: key), uid: uid), for: "u1")
    await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: spent) }
  }
}
