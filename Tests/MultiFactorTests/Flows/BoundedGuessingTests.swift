import Foundation
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// The limit on guesses is the factor's, whatever a guesser does.
@Suite struct BoundedGuessingTests {
  @Test(arguments: StoreKind.available)
  func `Ten failures lock the factor, delays grow from the fourth, and the error says until when`(
    on kind: StoreKind
  ) async throws {
    let (host, _, key, uid) = try await Host.withApp(kind)
    host.clock.advance(by: 30)
    let wrong = try host.wrongCode(for: key)
    let resolver = try await host.resolver()
    let assertion = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: wrong)
    for failure in 1...10 {
      await expectError(.invalidVerificationCode) { try await resolver.resolveSignIn(with: assertion) }
      let expectedDelay: TimeInterval = failure < 4 ? 0 : failure < 10 ? exp2(Double(failure - 4)) : 3600
      if expectedDelay > 0 {
        let start = host.clock.now
        do {
          _ = try await resolver.resolveSignIn(with: assertion)
          Issue.record("an attempt during the delay")
        } catch let error as AuthError {
          #expect(error.code == .tooManyRequests)
          #expect(error.retryAfter == start.addingTimeInterval(expectedDelay))
        }
        host.clock.advance(by: expectedDelay)
      }
    }
    // After the lock one attempt is allowed; the right code clears all failures.
    let again = try await host.resolver()
    let right = TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: uid, oneTimePassword: try host.code(of: key))
    _ = try await again.resolveSignIn(with: right)
    #expect(try await host.auth.admin.user("u1").factors[0].consecutiveFailures == 0)
  }

  @Test(arguments: StoreKind.available)
  func `Parallel sessions get no more attempts in total than the limit`(on kind: StoreKind) async throws {
    let policy = try AttemptLimit(firstDelayedFailure: 1000)
    let host = try await Host(
      kind, configuration: MultiFactorConfiguration(providerConfigs: [.totp()], attemptLimit: policy))
    let (_, key, uid) = try await host.enrollTOTP()
    host.clock.advance(by: 30)
    let wrong = try host.wrongCode(for: key)
    let codes = await errorCodes(0..<200) { _ in try await host.resolve(uid, code: wrong) }
    #expect(codes.count { $0 == .invalidVerificationCode } == 10)
    #expect(codes.count { $0 == .tooManyRequests } == 190)
  }

  @Test(arguments: StoreKind.available)
  func `Verifying the first factor again does not clear the failures`(on kind: StoreKind) async throws {
    let (host, _, key, uid) = try await Host.withApp(kind)
    host.clock.advance(by: 30)
    let wrong = try host.wrongCode(for: key)
    for expected in 1...3 {
      await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: wrong) }
      #expect(try await host.auth.admin.user("u1").factors[0].consecutiveFailures == expected)
    }
  }

  @Test(arguments: StoreKind.available)
  func `Failures of one factor do not lock another`(on kind: StoreKind) async throws {
    let (host, user, key, uid) = try await Host.withApp(kind)
    let (_, phone) = try await host.enrollPhone(as: user)
    host.clock.advance(by: 30)
    let wrong = try host.wrongCode(for: key)
    for _ in 0..<10 {
      host.clock.advance(by: 60)
      _ = await errorCode { try await host.resolve(uid, code: wrong) }
    }
    await expectError(.tooManyRequests) { try await host.resolve(uid, code: wrong) }

    let resolver = try await host.resolver()
    let provider = PhoneAuthProvider.provider(auth: host.auth)
    let hint = try #require(resolver.hints.first { $0.uid == phone })
    let id = try await provider.verifyPhoneNumber(with: hint, multiFactorSession: resolver.session)
    let credential = provider.credential(withVerificationID: id, verificationCode: host.sender.lastCode)
    let result = try await resolver.resolveSignIn(with: PhoneMultiFactorGenerator.assertion(with: credential))
    #expect(result.user.claims.secondFactorIdentifier == phone)
  }

  @Test(arguments: StoreKind.available)
  func `After 100 failures only a new enrollment helps`(on kind: StoreKind) async throws {
    let (host, _, key, uid) = try await Host.withApp(kind)
    let wrong = "000000"
    var refused = 0
    while refused < 100 {
      host.clock.advance(by: 3600)
      if try host.wrongCode(for: key) != wrong, await errorCode({ try await host.resolve(uid, code: wrong) }) == nil {
        return  // The guess was right by chance, in one of a thousand runs of this test.
      }
      refused += 1
    }
    host.clock.advance(by: 86_400 * 365)
    do {
      _ = try await host.resolve(uid, code: host.code(of: key))
      Issue.record("an attempt beyond the ceiling")
    } catch let error as AuthError {
      #expect(error.code == .tooManyRequests)
      #expect(error.retryAfter == nil)
    }
    try await host.auth.admin.unlock(uid, of: "u1")
    await expectError(.tooManyRequests) { try await host.resolve(uid, code: host.code(of: key)) }
    try await host.auth.admin.removeFactor(uid, of: "u1")
    let (_, newKey, new) = try await host.enrollTOTP()
    host.clock.advance(by: 30)
    _ = try await host.resolve(new, code: host.code(of: newKey))
  }

  @Test(arguments: StoreKind.available)
  func `A text that is not a code is refused without counting an attempt`(on kind: StoreKind) async throws {
    let (host, _, _, uid) = try await Host.withApp(kind)
    for text in ["12345", "123456789", "12a456", "+12345", "123456\0", String(repeating: "1", count: 1_000_000)] {
      await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: text) }
    }
    await expectError(.missingVerificationCode) { try await host.resolve(uid, code: "") }
    #expect(try await host.auth.admin.user("u1").factors[0].consecutiveFailures == 0)
  }

  @Test(arguments: StoreKind.available)
  func `Guesses at recovery codes are limited too, and lock no factor`(on kind: StoreKind) async throws {
    let (host, user, key, uid) = try await Host.withApp(kind)
    _ = try await user.multiFactor.generateRecoveryCodes()
    let resolver = try await host.resolver()
    let assertion = RecoveryCodeMultiFactorGenerator.assertionForSignIn(recoveryCode: "AAAA-BBBB-CCCC-DDDD-EEEE-FFFF")
    let codes = await errorCodes(0..<50) { _ in try await resolver.resolveSignIn(with: assertion) }
    #expect(codes.count { $0 == .invalidVerificationCode } == 4)
    #expect(codes.count { $0 == .tooManyRequests } == 46)
    host.clock.advance(by: 30)
    _ = try await host.resolve(uid, code: host.code(of: key))
  }

  @Test(arguments: StoreKind.available)
  func `Other aliases, addresses or first factors give no more attempts at a factor`(
    on kind: StoreKind
  ) async throws {
    let policy = try AttemptLimit(firstDelayedFailure: 1000)
    let host = try await Host(
      kind, configuration: MultiFactorConfiguration(providerConfigs: [.totp()], attemptLimit: policy))
    let (_, key, uid) = try await host.enrollTOTP()
    host.clock.advance(by: 30)
    let wrong = try host.wrongCode(for: key)
    let firstFactors = [FirstFactor.password, .emailLink, FirstFactor(providerID: "google.com")]
    for guess in 1...12 {
      // The host resolves names to users: whichever name is used, the factor is the same.
      let alias = Principal(
        id: "u1", email: guess == 1 ? nil : "Alice+\(guess)@example.com", isEmailVerified: guess > 6)
      var resolver: MultiFactorResolver?
      do {
        _ = try await host.auth.signIn(alias, firstFactor: firstFactors[guess % 3])
      } catch let error as AuthError {
        resolver = error.resolver
      }
      let assertion = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: wrong)
      let refusal = await errorCode { try await #require(resolver).resolveSignIn(with: assertion) }
      #expect(refusal == (guess <= 10 ? .invalidVerificationCode : .tooManyRequests), "guess \(guess)")
    }
  }

  @Test(arguments: StoreKind.available)
  func `Failures are counted even if the caller rolls its own transaction back or is cancelled`(
    on kind: StoreKind
  ) async throws {
    struct RolledBack: Error {}
    let (host, _, key, uid) = try await Host.withApp(kind)
    host.clock.advance(by: 30)
    let wrong = try host.wrongCode(for: key)
    let resolver = try await host.resolver()
    let assertion = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: wrong)
    do {
      _ = await errorCode { try await resolver.resolveSignIn(with: assertion) }
      throw RolledBack()
    } catch is RolledBack {}
    #expect(try await host.auth.admin.user("u1").factors[0].consecutiveFailures == 1)

    let request = Task {
      unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
      return await errorCode { try await resolver.resolveSignIn(with: assertion) }
    }
    #expect(await request.value == .invalidVerificationCode)
    #expect(try await host.auth.admin.user("u1").factors[0].consecutiveFailures == 2)
  }
}
