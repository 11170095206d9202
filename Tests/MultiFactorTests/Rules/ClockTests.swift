import Foundation
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// Wrong clocks: an account's time is the latest that it has seen.
@Suite struct ClockTests {
  @Test(arguments: [3600, 86_400] as [TimeInterval])
  func `Two servers, one with a slow clock, allow no more guesses than one`(seconds: TimeInterval) async throws {
    let right = try await Host()
    let slow = try await Host(store: right.store, keyring: right.keyring)
    slow.clock.advance(by: -seconds)
    let (_, key, uid) = try await right.enrollTOTP()
    var guesses = 0
    // For twenty minutes, one attempt at each server every twenty seconds.
    for _ in 0..<60 {
      for server in [right, slow] {
        server.clock.advance(by: 20)
        let wrong = try server.wrongCode(for: key)
        guard let resolver = try? await server.resolver() else { continue }
        let assertion = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: wrong)
        if await errorCode({ try await resolver.resolveSignIn(with: assertion) }) == .invalidVerificationCode {
          guesses += 1
        }
      }
    }
    #expect(guesses == 10)
  }

  /// Clocks without a valid time.
  private static let wild: [TimeInterval] = [.nan, .infinity, -.infinity, 1e300, -1e300, 1_700_000_000_000, 59]

  @Test func `A clock without a valid time allows no guesses, and does no damage`() async throws {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    let (_, key, uid) = try await host.enrollTOTP()
    let (start, code, account) = (host.clock.now, try host.code(of: key, stepsAhead: 1), try await host.account())
    for seconds in Self.wild {
      host.clock.now = Date(timeIntervalSince1970: seconds)
      let error = await authError { try await host.resolve(uid, code: code) }
      #expect(error?.code == .internalError && error?.reason == .clock)
      #expect(log.last == "failed clock" && log.events.last?.factorUID == uid)
      #expect(try await host.account() == account)
    }
    // What it changes does not get that time.
    try await host.auth.admin.unlock(uid, of: "u1")
    #expect(try await host.account() == account)
    host.clock.now = start.addingTimeInterval(60)
    _ = try await host.resolve(uid, code: code)
  }

  @Test func `Codes are neither spent nor explained at an invalid time`() async throws {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    _ = try await host.enrollTOTP()
    let (account, admin) = (try await host.account(), host.auth.admin)
    func expectRefusal(of work: () async throws -> Any) async throws {
      let error = await authError(work)
      #expect(error?.code == .internalError && error?.reason == .clock && log.last == "failed clock")
      #expect(try await host.account() == account)
    }
    for date in Self.wild.map(Date.init(timeIntervalSince1970:)) + [.distantFuture, .distantPast] {
      try await expectRefusal { try await admin.spendCodes(until: date) }
      try await expectRefusal { try await admin.explain("123456", of: "u1", at: date) }
    }
    host.clock.now = Date(timeIntervalSince1970: 59)
    try await expectRefusal { try await admin.spendCodes() }
  }

  @Test func `Unlocking heals an account whose time was set by a clock of 2099, and revives nothing`() async throws {
    let log = RecordingLog()
    let host = try await Host.remembering(log: log)
    let (user, key, uid) = try await host.enrollTOTP()
    let token = try await host.browsers.remember(for: user)
    let fast = try await Host(store: host.store, keyring: host.keyring)
    fast.clock.now = Date(timeIntervalSince1970: 4_070_908_800)
    await expectError(.invalidVerificationCode) { try await fast.resolve(uid, code: fast.wrongCode(for: key)) }
    #expect(try await fast.signIn(from: token) == nil)
    await expectError(.userTokenExpired) { try await user.multiFactor.session() }

    host.clock.advance(by: 30)
    let events = try await log.summaries { try await host.auth.admin.unlock(uid, of: "u1") }
    #expect(events == ["unlocked", "handles_revoked"])
    await expectError(.userTokenExpired) { try await user.multiFactor.session() }
    #expect(try await host.signIn(from: token) == nil)
    for _ in 0..<4 {
      await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: host.wrongCode(for: key)) }
    }
    host.clock.advance(by: 1)
    let again = try await host.resolve(uid, code: host.code(of: key)).user
    let new = try await host.browsers.remember(for: again)
    #expect(try await host.signIn(from: new) != nil)
  }
}
