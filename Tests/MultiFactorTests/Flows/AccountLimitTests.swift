import FactorRecord
import Foundation
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor

/// The limit across all of an account's factors and recovery codes, and what a sign-in unlocks.
@Suite struct AccountLimitTests {
  /// A user with an app, a token and recovery codes, each limited to three failures, and all together to seven.
  private struct GuessedUser {
    let host: Host
    let app: (key: String, uid: String)
    let token: String
    let recoveryCodes: [String]
    let log = RecordingLog()

    init(_ kind: StoreKind, lockDuration: Duration? = nil) async throws {
      host = try await Host(
        kind,
        configuration: MultiFactorConfiguration(
          providerConfigs: [.totp()],
          attemptLimit: AttemptLimit(failuresUntilLock: 3, lockDuration: lockDuration, firstDelayedFailure: 1000),
          accountFailuresUntilLock: lockDuration == nil ? 7 : 101),
        log: log.append)
      let (user, key, uid) = try await host.enrollTOTP()
      app = (key, uid)
      recoveryCodes = try await user.multiFactor.generateRecoveryCodes().codes
      token = try await host.auth.admin.importFactor(.hotp(secret: .vector), for: "u1")
      host.clock.advance(by: 30)
    }

    func guessAtApp() async -> AuthError.Code? {
      await errorCode { try await host.resolve(app.uid, code: host.wrongCode(for: app.key)) }
    }
    func guessAtToken() async -> AuthError.Code? {
      await errorCode { try await host.resolve(hotp: token, codes: [otherCode(than: code(0))]) }
    }
    func guessAtRecoveryCodes() async -> AuthError.Code? {
      await errorCode { try await host.recover("AAAA-BBBB-CCCC-DDDD-EEEE-FFFF") }
    }
    func code(_ counter: UInt64) throws -> String { try HOTP(secret: .vector).code(counter: counter).description }
  }

  @Test(arguments: StoreKind.available)
  func `Guesses spread over a user's factors and recovery codes are limited by the account`(
    on kind: StoreKind
  ) async throws {
    let guessed = try await GuessedUser(kind)
    let guesses = await withTaskGroup(of: AuthError.Code?.self) { group in
      for _ in 0..<20 {
        group.addTask { await guessed.guessAtApp() }
        group.addTask { await guessed.guessAtToken() }
        group.addTask { await guessed.guessAtRecoveryCodes() }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(guesses.count { $0 == .invalidVerificationCode } == 7)
    #expect(guesses.count { $0 == .tooManyRequests } == 53)
    let user = try await guessed.host.auth.admin.user("u1")
    #expect(user.isLocked && user.consecutiveFailures == 7)
    #expect(user.factors.allSatisfy { $0.isBlocked && $0.retryAfter == nil })

    // Locked even for right codes, however much time passes, until an administrator unlocks it.
    guessed.host.clock.advance(by: 86_400 * 365)
    let error = await authError { try await guessed.host.recover(guessed.recoveryCodes[0]) }
    #expect(error?.code == .tooManyRequests && error?.retryAfter == nil)
    #expect(guessed.log.last == "attempt_refused locked")
    #expect(await errorCode { try await guessed.host.resolve(hotp: guessed.token, codes: [guessed.code(0)]) } != nil)
    try await guessed.host.auth.admin.unlock(guessed.token, of: "u1")
    #expect(try await guessed.host.auth.admin.user("u1").isLocked == false)
    _ = try await guessed.host.resolve(hotp: guessed.token, codes: [guessed.code(0)])
    #expect(try await guessed.host.account().failures == 0)
  }

  @Test(arguments: StoreKind.available)
  func `No number of wrong codes for factor A locks factor B`(on kind: StoreKind) async throws {
    let guessed = try await GuessedUser(kind, lockDuration: .seconds(60))
    let (host, admin) = (guessed.host, guessed.host.auth.admin)
    for (counter, guess, uid) in [
      (0, guessed.guessAtApp, guessed.app.uid), (1, guessed.guessAtRecoveryCodes, RecoveryCodeMultiFactorID),
    ] as [(UInt64, () async -> AuthError.Code?, String)] {
      for _ in 0..<100 {
        #expect(await guess() == .invalidVerificationCode)
        host.clock.advance(by: 60)
      }
      #expect(await guess() == .tooManyRequests)
      // After 100 failures, another factor does not unlock it.
      _ = try await host.resolve(hotp: guessed.token, codes: [guessed.code(counter)])
      #expect(await guess() == .tooManyRequests)
      // Nor does an administrator, whose event says so.
      try await admin.unlock(uid, of: "u1")
      #expect(guessed.log.last == "unlocked locked")
      #expect(await guess() == .tooManyRequests)
    }
    try await admin.unlock(guessed.token, of: "u1")
    #expect(guessed.log.last == "unlocked")
  }

  @Test func `The limit for the account must exceed the one for a factor`() throws {
    func limit(_ own: Int? = nil, _ single: AttemptLimit = .standard) throws(ConfigurationError) -> Int {
      try MultiFactorConfiguration(providerConfigs: [], attemptLimit: single, accountFailuresUntilLock: own)
        .accountFailuresUntilLock
    }
    let five = try AttemptLimit(failuresUntilLock: 5, lockDuration: nil)
    #expect(try limit() == 200)
    #expect(try limit(nil, five) == 10)
    #expect(try limit(nil, AttemptLimit(lockDuration: .seconds(1))) == 200)
    for own in [Int.min, -1, 0, 5, 601, .max] {
      #expect(throws: ConfigurationError(.outOfRange, "accountFailuresUntilLock")) { try limit(own, five) }
    }
    let short = try AttemptLimit(failuresUntilLock: 5)
    #expect(throws: ConfigurationError.self) { try limit(100, short) }
    for own in [101, 600] { #expect(try limit(own, short) == own) }
  }
}
