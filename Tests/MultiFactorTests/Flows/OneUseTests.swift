import FactorRecord
import Foundation
import OTP
import Testing

@testable import MultiFactor

/// Each code is accepted at most once.
@Suite struct OneUseTests {
  @Test(arguments: StoreKind.available)
  func `A code is accepted exactly once by 1,000 requests at once`(on kind: StoreKind) async throws {
    let policy = try AttemptLimit(failuresUntilLock: 100, firstDelayedFailure: 1000)
    let host = try await Host(
      kind, configuration: MultiFactorConfiguration(providerConfigs: [.totp()], attemptLimit: policy))
    let (_, key, uid) = try await host.enrollTOTP()
    host.clock.advance(by: 30)
    let code = try host.code(of: key)
    let resolver = try await host.resolver()
    let assertion = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: code)
    let codes = await errorCodes(0..<1000) { _ in try await resolver.resolveSignIn(with: assertion) }
    #expect(codes.count { $0 == nil } == 1)
    #expect(codes.allSatisfy { [nil, .invalidVerificationCode, .tooManyRequests].contains($0) })
    let attempts = try #require(try await host.account("u1").factors.first).attempts
    #expect(attempts.acceptances == 1)
    // The accepted attempt clears the failures before it.
    #expect(attempts.failures <= codes.count { $0 == .invalidVerificationCode })
  }

  @Test(arguments: StoreKind.available)
  func `A recovery code is accepted at most once by 30 requests at once, and never again`(on kind: StoreKind)
    async throws
  {
    let policy = try AttemptLimit(failuresUntilLock: 100, firstDelayedFailure: 1000)
    let host = try await Host(
      kind, configuration: MultiFactorConfiguration(providerConfigs: [.totp()], attemptLimit: policy))
    let (user, _, _) = try await host.enrollTOTP()
    let recovery = try await user.multiFactor.generateRecoveryCodes()
    let resolver = try await host.resolver()
    let assertion = RecoveryCodeMultiFactorGenerator.assertionForSignIn(recoveryCode: recovery.codes[3])
    let codes = await errorCodes(0..<30) { _ in try await resolver.resolveSignIn(with: assertion) }
    #expect(codes.count { $0 == nil } == 1)
    await expectError(.invalidVerificationCode) { try await resolver.resolveSignIn(with: assertion) }
    #expect(try await host.account("u1").recoveryCodes.count == 9)
  }
}
