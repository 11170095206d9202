import FactorRecord
import Foundation
import MultiFactorOperations
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// The limit on guesses is the factor's, whatever a guesser does.
@Suite struct BoundedGuessingTests {
  @Test(arguments: StoreKind.available)
  func `Parallel sessions, by whatever alias or first factor, get no more attempts in total than the limit`(
    on kind: StoreKind
  ) async throws {
    let policy = try AttemptLimit(firstDelayedFailure: 1000)
    let host = try await Host(
      kind, configuration: MultiFactorConfiguration(providerConfigs: [.totp()], attemptLimit: policy))
    let (_, key, uid) = try await host.enrollTOTP()
    host.clock.advance(by: 30)
    let wrong = try host.wrongCode(for: key)
    let firstFactors = [FirstFactor.password, .emailLink, FirstFactor(providerID: "google.com")]
    let codes = await errorCodes(0..<200) { guess in
      // The host resolves names to users: whichever name is used, the factor is the same.
      let alias = Principal(id: "u1", email: "Alice+\(guess)@example.com", isEmailVerified: guess > 6)
      let error = await authError { try await host.auth.signIn(alias, firstFactor: firstFactors[guess % 3]) }
      let assertion = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: wrong)
      return try await #require(error?.resolver).resolveSignIn(with: assertion)
    }
    #expect(codes.count { $0 == .invalidVerificationCode } == 10)
    #expect(codes.count { $0 == .tooManyRequests } == 190)
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
