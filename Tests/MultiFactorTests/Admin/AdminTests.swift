import Foundation
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// What an administrator can do with a user's factors.
@Suite struct AdminTests {
  @Test func `Factors are listed with their attempt counts, and without secrets`() async throws {
    let host = try await Host()
    let start = host.clock.now
    let (user, key, uid) = try await host.enrollTOTP()
    let (_, phone) = try await host.enrollPhone(as: user)
    host.clock.advance(by: 30)
    _ = try await host.resolve(uid, code: host.code(of: key))
    let wrong = try host.wrongCode(for: key)
    for _ in 0..<4 { _ = await errorCode { try await host.resolve(uid, code: wrong) } }

    let factors = try await host.auth.admin.user("u1").factors
    #expect(factors.map(\.info.uid) == [uid, phone])
    #expect(factors.map(\.info.displayName) == ["App", "Mobile"])
    #expect(factors.map(\.info.enrollmentDate) == [start, start])
    #expect(factors.map(\.consecutiveFailures) == [4, 0])
    #expect(factors.map(\.acceptances) == [1, 0])
    #expect(factors.map(\.lastAttempt) == [host.clock.now, nil])
    #expect(factors.map(\.isBlocked) == [true, false])
    #expect(factors.map(\.retryAfter) == [host.clock.now.addingTimeInterval(1), nil])
    #expect(!Reflection(of: factors).contains(key))
    #expect(try await host.auth.admin.user("nobody").factors.isEmpty)
  }

  @Test func `Whether a factor is delayed goes by the account's time, as the delay does`() async throws {
    let (host, _, key, uid) = try await Host.withApp()
    let wrong = try host.wrongCode(for: key)
    for _ in 0..<4 { _ = await errorCode { try await host.resolve(uid, code: wrong) } }
    host.clock.advance(by: 10)
    try await host.auth.admin.revokeTokens(of: "u1")
    host.clock.advance(by: -10)
    #expect(try await host.auth.admin.user("u1").factors.map(\.isBlocked) == [false])
    await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: wrong) }
  }

  @Test func `An export fails if the store returns the same page over and over`() async throws {
    let (host, _, _, _) = try await Host.withApp()
    host.store.isStuck.withLock { $0 = true }
    await expectError(.internalError) { try await host.auth.admin.users() }
    await expectError(.internalError) { try await host.auth.admin.resealAll() }
  }

  @Test(arguments: [1, 2, 3, 7, 100, -5, 100_000])
  func `An export lists each user once, in order, page by page`(limit: Int) async throws {
    let host = try await Host()
    let ids = ["a", "B", "é", "e\u{301}", "u10", "u9", "\u{1F600}"]
    for id in ids { try await host.auth.admin.importFactor(.hotp(secret: .vector), for: id) }
    _ = try await host.auth.admin.users(after: "zzz")
    var pages: [[AdministeredUser]] = []
    while true {
      let page = try await host.auth.admin.users(after: pages.last?.last?.userID, limit: limit)
      if page.isEmpty { break }
      #expect(page.count <= max(1, limit))
      pages.append(page)
      try #require(pages.count <= ids.count)
    }
    let exported = pages.flatMap(\.self)
    #expect(
      exported.map { Array($0.userID.utf8) } == ids.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
    #expect(exported.allSatisfy { $0.factors.count == 1 })
    let secret = try OTPSecret.vector
    let found = Reflection(of: exported)
    #expect(!found.contains(secret.base32String()) && !found.contains(secret.unwipedBytes()))
  }

  @Test func `An export includes a user without factors whose handles were revoked, but not one who only signed in`()
    async throws
  {
    let host = try await Host()
    let user = try await host.signIn()
    let other = try await host.signIn(Principal(id: "u2"))
    try await host.auth.admin.revokeTokens(of: "u2")
    await expectError(.userTokenExpired) { try await other.reload() }
    // Nor a user who was sent a message and stopped there.
    _ = try await host.phones.verifyPhoneNumber("+15105551234", multiFactorSession: user.multiFactor.session())
    let users = try await host.auth.admin.users()
    #expect(users.map(\.userID) == ["u2"])
    #expect(users[0].factors.isEmpty && users[0].recoveryCodesRemaining == 0)
  }
}
