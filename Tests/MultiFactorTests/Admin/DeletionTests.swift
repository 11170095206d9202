import Foundation
import OTP
import Testing

@testable import MultiFactor

/// Handles and sign-ins of a user whom the host has deleted.
@Suite struct DeletionTests {
  @Test(arguments: StoreKind.available)
  func `No handle of a deleted user becomes valid again, however often the user is deleted and created again`(
    on kind: StoreKind
  ) async throws {
    let host = try await Host(kind)
    let admin = host.auth.admin
    var handles: [User] = []
    var wasGone: [Bool] = []
    for (round, pause) in [0, 0, 3600, 0, 0, 3600, 3600, 1800, 0, 3600].enumerated() {
      let user = try await host.signIn()
      // One in three has a factor, so the document holds more than a deletion leaves.
      if round % 3 == 0 { _ = try await host.enrollTOTP(as: user) }
      handles.append(user)
      // A reload makes the handle last for an hour from now on.
      for _ in 0..<2 {
        host.clock.advance(by: TimeInterval(pause) / 2)
        try await user.reload()
      }
      wasGone.append(try await admin.deleteUser("u1"))
      for handle in handles { #expect(await errorCode { try await handle.reload() } == .userTokenExpired) }
      // Nor does a revocation, which raises the generation by one, make any of them valid.
      try await admin.revokeHandles(of: "u1")
      for handle in handles { #expect(await errorCode { try await handle.reload() } == .userTokenExpired) }
      _ = try await admin.deleteUser("u1")
    }
    #expect(wasGone == [false, false, true, false, false, true, false, false, false, false])
  }

  @Test(arguments: StoreKind.available)
  func `A document that does not open can be deleted, which revokes its user's handles`(on kind: StoreKind) async throws
  {
    let host = try await Host(kind)
    let (user, _, _) = try await host.enrollTOTP()
    try await host.store.update(.user("u1")) { document in document?[40] ^= 1 }
    #expect(await errorCode { try await user.reload() } == .internalError)
    #expect(try await host.auth.admin.deleteUser("u1") == false)
    #expect(await errorCode { try await user.reload() } == .userTokenExpired)
    try await host.signIn().reload()
    host.clock.advance(by: 3600)
    #expect(try await host.auth.admin.deleteUser("u1") == true)
    #expect(try await host.store.document(.user("u1")) == nil)
  }

  @Test func `A deletion ends the current generation, whatever number is drawn`() {
    let now = TestClock().now
    for stride in [0, 1, .max] as [UInt64] {
      var account = Account(latestTime: now, generation: 7)
      #expect(account.delete(by: now, after: 3600, raisingBy: stride) == false)
      #expect(account == Account(latestTime: now, generation: 7 &+ max(1, stride)))
    }
  }
}
