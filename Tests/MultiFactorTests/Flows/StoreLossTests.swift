import Foundation
import MultiFactorBrowsers
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// What is accepted after a store has lost acknowledged changes, as in a failover to a replica that lagged.
@Suite struct StoreLossTests {
  /// A user, and the store without the last sign-in.
  private func lose(_ host: Host, _ signIn: () async throws -> Void) async throws {
    let before = try await host.store.document(.user(Host.alice.id))
    try await signIn()
    try await host.store.update(.user(Host.alice.id)) { $0 = before }
  }

  @Test(arguments: StoreKind.available)
  func `No step that was in a window at the time of the loss is accepted, and each later one is`(on kind: StoreKind)
    async throws
  {
    let (host, _, key, uid) = try await Host.withApp(kind)
    host.clock.advance(by: 600)
    let code = try host.code(of: key, stepsAhead: 5)
    try await lose(host) { _ = try await host.resolve(uid, code: code) }
    host.store.loss.withLock { $0 = host.clock.now }
    // However often it is tried: none of these attempts is counted.
    for steps in [-5, 0, 5, 6, 0, 0, 0, 0, 0, 0, 0, 0] {
      let code = try host.code(of: key, stepsAhead: steps)
      let error = await authError { try await host.resolve(uid, code: code) }
      #expect(error?.code == .tooManyRequests && error?.reason == .spent)
      // The current step ends in ten seconds, and the window has five more.
      #expect(error?.retryAfter == host.clock.now.addingTimeInterval(160))
    }
    #expect(try await host.account().failures == 0)
    let factor = try #require(try await host.auth.admin.user("u1").factors.first)
    #expect(factor.isSpent && factor.isBlocked && !factor.isLocked && factor.retryAfter == host.clock.now + 160)
    host.clock.advance(by: 159)
    await expectError(.tooManyRequests) { try await host.resolve(uid, code: host.code(of: key)) }
    host.clock.advance(by: 1)
    // From now on, codes are looked at, and counted.
    let spent = try host.code(of: key, stepsAhead: -1)
    await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: spent) }
    #expect(try await host.account().failures == 1)
    _ = try await host.resolve(uid, code: host.code(of: key, stepsAhead: 5))
    // Once a later step has been accepted, the time of the loss no longer matters.
    host.clock.advance(by: 600)
    _ = try await host.resolve(uid, code: host.code(of: key))
  }

  @Test func `A factor that is locked and spent is locked to an administrator, as it is to an attempt`() async throws {
    let (host, _, key, uid) = try await Host.withApp()
    for _ in 0..<10 {
      host.clock.advance(by: 60)
      await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: host.wrongCode(for: key)) }
    }
    host.store.loss.withLock { $0 = host.clock.now }
    let error = await authError { try await host.resolve(uid, code: host.code(of: key)) }
    #expect(error?.code == .tooManyRequests && error?.retryAfter == host.clock.now + 3600)
    let locked = try #require(try await host.auth.admin.user("u1").factors.first)
    #expect(locked.isLocked && locked.isBlocked && !locked.isSpent && locked.retryAfter == error?.retryAfter)
    try await host.auth.admin.unlock(uid, of: "u1")
    #expect(try await host.auth.admin.user("u1").factors.first?.isSpent == true)
  }

  @Test(arguments: [0, 7200] as [TimeInterval])
  func `A code sent before the loss is not accepted, and one sent after it is`(ahead: TimeInterval) async throws {
    let (host, _, uid) = try await Host.withPhone()
    // By a clock ahead, which leaves the document's time there.
    host.clock.advance(by: ahead)
    _ = try await host.challenge(uid)
    host.clock.advance(by: -ahead)
    let (resolver, id) = try await host.challenge(uid)
    let code = host.sender.lastCode
    let challenges = try await host.store.document(.external(.phone, Host.alice.id))
    try await lose(host) { _ = try await host.answer(id, code, resolver) }
    try await host.store.update(.external(.phone, Host.alice.id)) { $0 = challenges }
    host.store.loss.withLock { $0 = host.clock.now }
    #expect(await errorCode { try await host.answer(id, code, resolver) } != nil)
    host.clock.advance(by: 60)
    let (next, nextID) = try await host.challenge(uid)
    _ = try await host.answer(nextID, host.sender.lastCode, next)
  }

  @Test func `A factor is enrolled only with a code that the loss has not spent, and then works as usual`() async throws
  {
    let host = try await Host()
    host.store.loss.withLock { $0 = host.clock.now }
    host.clock.advance(by: 60)
    // It may have been enrolled before, with the code that it shows.
    await expectError(.tooManyRequests) { try await host.enrollTOTP() }
    host.clock.advance(by: 300)
    let (_, key, uid) = try await host.enrollTOTP()
    host.clock.advance(by: 30)
    _ = try await host.resolve(uid, code: host.code(of: key))
  }

  @Test func `A loss also spends the codes of a factor dated after it by a fast clock`() async throws {
    let host = try await Host()
    host.clock.advance(by: 1800)
    let (_, key, uid) = try await host.enrollTOTP()
    host.clock.advance(by: -1500)
    let code = try host.code(of: key, stepsAhead: 60)
    host.store.loss.withLock { $0 = host.clock.now + 1500 }
    host.clock.advance(by: 1500)
    await expectError(.tooManyRequests) { try await host.resolve(uid, code: code) }
  }

  @Test func `While processes date a loss differently, none of them counts an attempt`() async throws {
    let (host, _, key, uid) = try await Host.withApp()
    host.clock.advance(by: 600)
    let early = host.clock.now
    // One with a clock that is half an hour ahead has spent more.
    host.store.loss.withLock { $0 = early + 1800 }
    await expectError(.tooManyRequests) { try await host.resolve(uid, code: host.code(of: key)) }
    try await host.auth.admin.revokeTokens(of: "u1")
    host.store.loss.withLock { $0 = early }
    host.clock.advance(by: 600)
    await expectError(.tooManyRequests) { try await host.resolve(uid, code: host.code(of: key)) }
    #expect(try await host.account().failures == 0)
    host.clock.advance(by: 1500)
    _ = try await host.resolve(uid, code: host.code(of: key))
  }

  @Test(arguments: [false, true])
  func `A user who is deleted after a loss leaves no code that was spent before it`(isKnown: Bool) async throws {
    let host = try await Host()
    let secret = try OTPSecret(bytes: [UInt8](1...20))
    let admin = host.auth.admin
    let uid = try await admin.importFactor(.totp(secret: secret), for: "u1")
    host.clock.advance(by: 600)
    let code = try TOTP(secret: secret).code(at: Int64(host.clock.now.timeIntervalSince1970)).description
    try await lose(host) { _ = try await host.resolve(uid, code: code) }
    if isKnown { host.store.loss.withLock { $0 = host.clock.now } }
    try await admin.deleteUser("u1")
    host.store.loss.withLock { $0 = nil }
    let again = try await admin.importFactor(.totp(secret: secret), for: "u1")
    let end = await errorCode { try await host.resolve(again, code: code) }
    #expect(end == (isKnown ? .invalidVerificationCode : nil))
  }

  @Test func `Each process reports a loss once, and shows it in every later health report`() async throws {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    func losses() -> Int { log.events.count { $0.kind == .changesLost } }
    let (_, key, uid) = try await host.enrollTOTP()
    #expect(await host.auth.health().lossDate == nil)
    let first = host.clock.now
    host.store.loss.withLock { $0 = first }
    host.clock.advance(by: 600)
    for _ in 0..<2 {
      host.clock.advance(by: 30)
      _ = try await host.resolve(uid, code: host.code(of: key))
    }
    #expect(losses() == 1)
    #expect(await host.auth.health().lossDate == first)
    let second = host.clock.now
    host.store.loss.withLock { $0 = second }
    #expect(await host.auth.health().lossDate == second)
    #expect(losses() == 2)
    // A process that begins later reports it too, for a day.
    for (seconds, count) in [(86_000.0, 1), (1000, 0)] {
      host.clock.advance(by: seconds)
      let log = RecordingLog()
      let auth = try await MultiFactorAuth(
        configuration: host.auth.configuration, store: host.store, keyring: host.keyring,
        externalFactors: [PhoneFactor(sender: host.sender)],
        handlers: MultiFactorHandlers(event: log.append),
        clock: { [clock = host.clock] in clock.now })
      #expect(log.events.map(\.kind) == Array(repeating: .changesLost, count: count))
      #expect(await auth.health().lossDate == second)
    }
  }
}
