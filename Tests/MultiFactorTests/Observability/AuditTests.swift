import FactorRecord
import Foundation
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor

/// What is reported to the server but not to the client.
@Suite struct AuditTests {
  @Test func `The event says what was wrong with a code, and the client's error does not`() async throws {
    let log = RecordingLog()
    let host = try await Host(
      configuration: MultiFactorConfiguration(
        providerConfigs: [.totp(adjacentIntervals: 1)], attemptLimit: AttemptLimit(firstDelayedFailure: 100)),
      log: log.append)
    let (_, key, uid) = try await host.enrollTOTP()
    host.clock.advance(by: 3600)
    let used = try host.code(of: key, stepsAhead: -1)
    _ = try await host.resolve(uid, code: used)
    host.clock.advance(by: 3600)
    let accepted = try host.code(of: key)
    _ = try await host.resolve(uid, code: accepted)

    let attempts = try [
      ("wrong", host.wrongCode(for: key)), ("replayed", accepted), ("replayed", host.code(of: key, stepsAhead: -1)),
      ("early", host.code(of: key, stepsAhead: 3)), ("malformed", "12345"), ("malformed", "abcdef"),
      ("malformed", "1234567"),
    ]
    var errors: [AuthError] = []
    for (reason, code) in attempts {
      errors.append(try #require(await authError { try await host.resolve(uid, code: code) }))
      let event = try #require(log.events.last)
      #expect([event.kind.rawValue, event.reason?.rawValue] == ["code_refused", reason])
      #expect([event.userID, event.factorUID, event.factorID] == ["u1", uid, TOTPMultiFactorID])
      #expect(event.date == host.clock.now)
    }
    host.clock.advance(by: 300)
    // Also soon after a sign-in: the next code of that clock is as late.
    _ = try await host.resolve(uid, code: host.code(of: key))
    let late = try host.code(of: key, stepsAhead: -3)
    errors.append(try #require(await authError { try await host.resolve(uid, code: late) }))
    #expect(log.last == "code_refused late")
    // Not only the code: every part of the error.
    #expect(Set(errors.map { String(reflecting: $0) }).count == 1)
    #expect(errors.allSatisfy { $0.retryAfter == nil && $0.resolver == nil && $0.reason == nil })
  }

  @Test func `An import with more former secrets than an account keeps reports that the handles are revoked`()
    async throws
  {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    var record = try FactorRecord.totp(isPending: false, at: 1_700_000_000)
    record.spentSecrets = (0...Account.maximumSpentSecretCount).map { index in
      SpentSecret(fingerprint: [UInt8](repeating: UInt8(index), count: 16), lastAccepted: 1)
    }
    let events = try await log.summaries { _ = try await host.auth.admin.importFactor(.record(record), for: "u1") }
    #expect(events == ["imported", "handles_revoked"])
  }

  @Test func `Every successful operation is reported exactly once`() async throws {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    var (user, uid) = (try await host.signIn(), "")
    #expect(log.events.map(\.summary) == ["signed_in_without_second_factor"])
    func events(_ work: () async throws -> Void) async throws -> [String] { try await log.summaries(of: work) }
    #expect(try await events { uid = try await host.enrollTOTP(as: user).uid } == ["enrolled"])
    #expect(log.events.last?.factorUID == uid)
    #expect(try await events { _ = try await host.enrollPhone(as: user) } == ["message_sent", "enrolled"])
    #expect(try await events { _ = try await user.multiFactor.generateRecoveryCodes() } == ["recovery_codes_replaced"])
    #expect(try await events { try await user.multiFactor.unenroll(withFactorUID: uid) } == ["unenrolled"])
    let phone = try #require(user.claims.secondFactorIdentifier)
    var resolver: MultiFactorResolver?
    #expect(try await events { resolver = try await host.resolver() } == ["second_factor_required"])
    let signedIn = try #require(resolver)
    let assertion = try await host.phoneAssertion(phone, in: signedIn)
    #expect(try await events { user = try await signedIn.resolveSignIn(with: assertion).user } == ["signed_in"])
    #expect([log.events.last?.userID, log.events.last?.factorUID] == ["u1", phone])
    let admin = host.auth.admin
    #expect(try await events { uid = try await admin.importFactor(.hotp(secret: .vector), for: "u1") } == ["imported"])
    #expect(try await events { try await admin.unlock(uid, of: "u1") } == ["unlocked"])
    #expect(try await events { try await admin.removeRecoveryCodes(of: "u1") } == ["recovery_codes_replaced"])
    #expect(try await events { try await admin.removeFactor(uid, of: "u1") } == ["unenrolled", "handles_revoked"])
    #expect(try await events { try await admin.revokeTokens(of: "u1") } == ["handles_revoked"])
    #expect(
      try await events { try await admin.overwriteFactors(of: "u1", with: []) } == ["overwritten", "handles_revoked"])
    #expect(try await events { try await admin.deleteUser("u1") } == ["user_deleted", "handles_revoked"])
  }

  @Test func `A refusal is reported after it is durable, exactly once`() async throws {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    let (_, key, uid) = try await host.enrollTOTP()
    let wrong = try host.wrongCode(for: key)
    let resolver = try await host.resolver()
    let assertion = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: wrong)
    func guess() async throws -> [String] {
      await log.summaries { _ = await errorCode { try await resolver.resolveSignIn(with: assertion) } }
    }
    for fault in TestStore.Fault.allCases {
      host.store.fail(atCall: 1, fault)
      #expect(try await guess() == ["failed store"])
    }
    host.store.repeatChanges()
    #expect(try await guess() == ["code_refused wrong"])
    host.store.recover()
    #expect(try await guess() == ["code_refused wrong"])
  }

  @Test func `A delay and a lock are reported differently, and the error says until when`() async throws {
    let log = RecordingLog()
    let host = try await Host(
      configuration: MultiFactorConfiguration(
        providerConfigs: [.totp()], attemptLimit: AttemptLimit(failuresUntilLock: 3, firstDelayedFailure: 1)),
      log: log.append)
    let (_, key, uid) = try await host.enrollTOTP()
    let wrong = try host.wrongCode(for: key)
    var reasons: [String] = []
    for delay in [1, 2, 3600] as [TimeInterval] {
      await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: wrong) }
      let error = await authError { try await host.resolve(uid, code: wrong) }
      #expect(error?.code == .tooManyRequests && error?.retryAfter == host.clock.now + delay)
      reasons.append(log.last)
      host.clock.advance(by: delay)
    }
    #expect(reasons == ["attempt_refused delayed", "attempt_refused delayed", "attempt_refused locked"])
  }

  @Test func `The event of a failed enrollment explains the app's code, whatever its length`() async throws {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    let user = try await host.signIn()
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
    let app = try TOTP(secret: OTPSecret(base32: secret.sharedSecretKey()), digits: .eight)
    let code = try app.code(at: Int64(host.clock.now.timeIntervalSince1970)).description
    await expectError(.invalidVerificationCode) {
      try await user.multiFactor.enroll(
        with: TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: code), displayName: nil)
    }
    #expect(log.last == "enrollment_refused malformed")
    #expect(log.events.last?.diagnosis?.digits == .eight)
  }

  @Test func `A modified token is reported without its text`() async throws {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    let token = try await host.signIn().token()
    _ = await errorCode { try await host.auth.user(from: String(token.dropLast())) }
    #expect(log.last == "token_refused invalid")
    #expect(log.events.last?.userID == nil)
    host.clock.advance(by: 3600)
    _ = await errorCode { try await host.auth.user(from: token) }
    #expect(log.last == "token_refused expired")
  }
}
