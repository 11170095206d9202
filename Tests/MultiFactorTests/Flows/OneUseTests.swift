import Foundation
import OTP
import Testing

@testable import MultiFactor

/// Each code is accepted at most once.
@Suite struct OneUseTests {
  @Test(arguments: StoreKind.available)
  func `A code that is repeated within its step is refused`(on kind: StoreKind) async throws {
    let (host, _, key, uid) = try await Host.withApp(kind)
    host.clock.advance(by: 30)
    let code = try host.code(of: key)
    let result = try await host.resolve(uid, code: code)
    #expect(result.user.claims.secondFactorIdentifier == uid)
    await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: code) }
  }

  @Test(arguments: StoreKind.available)
  func `A code accepted in its step is refused a step later, while still in the window`(on kind: StoreKind) async throws
  {
    let (host, _, key, uid) = try await Host.withApp(kind)
    host.clock.advance(by: 30)
    let code = try host.code(of: key)
    _ = try await host.resolve(uid, code: code)
    host.clock.advance(by: 30)
    await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: code) }
  }

  @Test(arguments: StoreKind.available)
  func `After a code from a fast clock, the previous step's code is refused`(on kind: StoreKind) async throws {
    let (host, _, key, uid) = try await Host.withApp(kind)
    host.clock.advance(by: 60)
    let now = try host.code(of: key)
    _ = try await host.resolve(uid, code: host.code(of: key, stepsAhead: 1))
    await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: now) }
  }

  @Test(arguments: [" 123456", "123 456", "123-456", "１２３４５６", "١٢٣٤٥٦", "१२३४५६"], StoreKind.available)
  func `An accepted code is refused in every spelling, and a live one is accepted in any`(
    pattern: String, on kind: StoreKind
  ) async throws {
    let (host, _, key, uid) = try await Host.withApp(kind)
    host.clock.advance(by: 30)
    let code = try host.code(of: key)
    let spelled = respell(code, like: pattern)
    #expect(spelled != code)
    _ = try await host.resolve(uid, code: code)
    await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: spelled) }

    host.clock.advance(by: 30)
    let next = respell(try host.code(of: key), like: pattern)
    #expect(try await host.resolve(uid, code: next).user.claims.secondFactor == TOTPMultiFactorID)
  }

  /// A code's digits, laid out and in the script of another text.
  private func respell(_ code: String, like pattern: String) -> String {
    var digits = code.unicodeScalars.makeIterator()
    var text = ""
    for scalar in pattern.unicodeScalars {
      guard let value = scalar.properties.numericValue, let digit = digits.next() else {
        text.unicodeScalars.append(scalar)
        continue
      }
      let zero = scalar.value - UInt32(value)
      text.unicodeScalars.append(Unicode.Scalar(zero + digit.value - 0x30) ?? digit)
    }
    return text
  }

  @Test(arguments: StoreKind.available)
  func `The code that confirmed the enrollment is refused at sign-in`(on kind: StoreKind) async throws {
    let (host, _, key, uid) = try await Host.withApp(kind)
    let code = try host.code(of: key)
    await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: code) }
    host.clock.advance(by: 30)
    await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: code) }
    _ = try await host.resolve(uid, code: host.code(of: key))
  }

  @Test(arguments: [-30, -3600, -630_720_000] as [TimeInterval], StoreKind.available)
  func `A replay is refused even after the clock is set back`(seconds: TimeInterval, on kind: StoreKind) async throws {
    let (host, _, key, uid) = try await Host.withApp(kind)
    host.clock.advance(by: 30)
    let code = try host.code(of: key)
    _ = try await host.resolve(uid, code: code)
    host.clock.advance(by: seconds)
    await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: code) }
    // Nor is the code accepted that the app would show at that earlier time.
    let earlier = try host.code(of: key)
    await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: earlier) }
  }

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

  @Test(arguments: StoreKind.available)
  func `A secret cannot be enrolled twice`(on kind: StoreKind) async throws {
    let host = try await Host(kind)
    let user = try await host.signIn()
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
    func enroll() async throws -> AuthDataResult {
      let code = try host.code(of: secret.sharedSecretKey())
      return try await user.multiFactor.enroll(
        with: TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: code), displayName: nil)
    }
    _ = try await enroll()
    await expectError(.secondFactorAlreadyEnrolled) { try await enroll() }
  }
}
