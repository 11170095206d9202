import Foundation
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// Interactions of rules.
@Suite struct RuleInteractionTests {
  /// An app verifier that runs something while it is asked.
  private final class BusyVerifier: AppVerifier {
    let meanwhile = Locked<(@Sendable () async throws -> Void)?>(nil)

    func verify(_ request: AppVerificationRequest) async throws -> AppVerdict {
      try await meanwhile.withLock { $0 }?()
      return .genuine
    }
  }

  @Test func `If resynchronization is turned off, consecutive codes do not sign in`() async throws {
    let host = try await Host(
      configuration: MultiFactorConfiguration(providerConfigs: [.totp(resynchronizationSteps: 0)]))
    let (_, key, uid) = try await host.enrollTOTP()
    host.clock.advance(by: 60)
    let assertion = TOTPMultiFactorGenerator.assertionForResynchronization(
      withEnrollmentID: uid, oneTimePasswords: try [0, 1].map { try host.code(of: key, stepsAhead: $0) })
    await expectError(.invalidVerificationCode) { try await host.resolver().resolveSignIn(with: assertion) }
    #expect(MultiFactorConfiguration.strict.policy.resynchronizationSteps == 0)
  }

  @Test
  func `A recovery code's sign-in counts for nothing once its list is gone, whatever date an imported factor has`()
    async throws
  {
    let (host, user, _, uid) = try await Host.withApp()
    let codes = try await user.multiFactor.generateRecoveryCodes().codes
    let handle = try await host.recover(codes[0]).user
    try await host.auth.admin.removeFactor(uid, of: "u1")
    try await host.auth.admin.importFactor(
      .hotp(secret: .vector, enrollmentDate: Date(timeIntervalSince1970: 1)), for: "u1")
    await expectError(.secondFactorRequired) { try await handle.requireSecondFactor(within: .seconds(600)) }
    #expect(handle.claims.secondFactor == nil)
  }

  @Test
  func `Removing the last factor clears the account's failures`() async throws {
    let (host, _, key, uid) = try await Host.withApp()
    _ = await errorCode { try await host.resolve(uid, code: host.wrongCode(for: key)) }
    #expect(try await host.account().failures == 1)
    try await host.auth.admin.removeFactor(uid, of: "u1")
    #expect(try await host.account().failures == 0)
  }

  @Test func `Refused messages do not displace sent ones`() async throws {
    let (host, _, uid) = try await Host.withPhone()
    var last = try await host.challenge(uid)
    for _ in 0..<4 { last = try await host.challenge(uid) }
    for _ in 0..<20 { await expectError(.quotaExceeded) { try await host.challenge(uid) } }
    #expect(try await host.phoneDocument().challenges.filter { $0.purpose == .signIn(factorUID: uid) }.count == 1)
    _ = try await host.answer(last.id, host.sender.lastCode, last.resolver)
  }

  @Test func `If the number is replaced while the app is verified, nothing is sent to the old one`() async throws {
    let verifier = BusyVerifier()
    let host = try await Host(appVerifier: verifier)
    let (_, uid) = try await host.enrollPhone()
    let sent = host.sender.messages.count
    let admin = host.auth.admin
    verifier.meanwhile.withLock { work in
      work = { try await admin.overwriteFactors(of: "u1", with: [.phone(number: "+15105559999", uid: uid)]) }
    }
    await expectError(.userTokenExpired) { try await host.challenge(uid) }
    // A retain cycle: the verifier's closure retains the server, which retains the verifier.
    verifier.meanwhile.withLock { $0 = nil }
    #expect(host.sender.messages.count == sent)
    #expect(try await host.phoneDocument().challenges.isEmpty)
    #expect(try await host.account().factors.map(\.number?.e164) == ["+15105559999"])
  }

  @Test func `A code requested before a revocation does not sign in after it`() async throws {
    let (host, _, uid) = try await Host.withPhone()
    let (_, id) = try await host.challenge(uid)
    try await host.auth.admin.revokeHandles(of: "u1")
    let resolver = try await host.resolver()
    await expectError(.invalidVerificationCode) { try await host.answer(id, host.sender.lastCode, resolver) }
  }

  @Test func `New recovery codes require a recently verified factor; a recent password is not enough`() async throws {
    let (host, _, key, uid) = try await Host.withApp()
    host.clock.advance(by: 60)
    let resolver = try await host.resolver()
    host.clock.advance(by: 400)
    let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: uid, oneTimePassword: try host.code(of: key))
    let user = try await resolver.resolveSignIn(with: assertion).user
    host.clock.advance(by: 300)
    _ = try await user.multiFactor.generateRecoveryCodes()
    host.clock.advance(by: 1)
    await expectError(.requiresRecentLogin) { try await user.multiFactor.generateRecoveryCodes() }
  }

  @Test func `A handle with only the password is not prolonged once the user has a second factor`() async throws {
    let host = try await Host()
    let old = try await host.signIn()
    _ = try await host.enrollTOTP(as: host.signIn())
    host.clock.advance(by: 3599)
    try await old.reload()
    host.clock.advance(by: 1)
    await expectError(.userTokenExpired) { try await old.reload() }
  }

  @Test func `A factor that is overwritten under its own name is recorded`() async throws {
    let host = try await Host()
    let admin = host.auth.admin
    try await admin.importFactor(.totp(secret: .vector, uid: "x"), for: "u1")
    host.clock.advance(by: 1)
    try await admin.overwriteFactors(of: "u1", with: [.totp(secret: .random(), uid: "x")])
    #expect(try await host.account().pastFactors.map(\.uid) == ["x"])
    try await admin.overwriteFactors(of: "u1", with: [.enrolled(uid: "x")])
    #expect(try await host.account().pastFactors.count == 1)
  }
}
