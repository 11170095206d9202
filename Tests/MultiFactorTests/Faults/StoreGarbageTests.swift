import Foundation
import Testing

@testable import MultiFactor

/// A store that answers what it does not hold.
@Suite struct StoreGarbageTests {
  @Test(arguments: StoreGarbage.allCases, StoreKind.available)
  func `Whatever a store answers, a flow succeeds or ends in a typed error, and works again afterwards`(
    garbage: StoreGarbage, on kind: StoreKind
  ) async throws {
    for flow in Flow.all {
      let host = try Host(kind)
      let ready = try await flow.prepare(host)
      host.store.answer(with: garbage)
      do { try await ready.run() } catch {
        #expect(error is AuthError || error is NothingToChooseFrom, "\(flow.testDescription): \(error)")
      }
      host.store.recover()
      // An overwrite or a removal that was made is not one that can be taken back.
      if Flow.signIns.contains(where: { $0.testDescription == flow.testDescription }) { try await ready.again() }
    }
  }

  /// What a sign-in can be offered, as of the moment when the attempt is reserved.
  private enum Offer: CaseIterable {
    case right, wrong, replayed
  }

  @Test(arguments: StoreGarbage.allCases, StoreKind.available)
  func `No garbage makes a wrong or a used code right, and a refused attempt stays counted`(
    garbage: StoreGarbage, on kind: StoreKind
  ) async throws {
    for offer in Offer.allCases {
      let host = try Host(kind)
      let (_, key, uid) = try await host.enrollTOTP()
      host.clock.advance(by: 30)
      if offer == .replayed { _ = try await host.resolve(uid, code: host.code(of: key)) }
      let code = try offer == .wrong ? host.wrongCode(for: key) : host.code(of: key)
      let resolver = try await host.resolver()
      let assertion = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: code)

      host.store.answer(with: garbage)
      let refusal = await errorCode { try await resolver.resolveSignIn(with: assertion) }
      host.store.recover()
      let factor = try #require(try await host.store.account(of: "u1").factors.first)
      if offer == .right, Self.harmless.contains(garbage) {
        #expect(refusal == nil)
      } else {
        #expect(refusal == Self.refusal(for: garbage, offer == .right), "\(offer)")
        #expect(factor.attempts.consecutiveFailures == 1)
      }
      host.clock.advance(by: 30)
      _ = try await host.resolve(uid, code: host.code(of: key))
    }
  }

  /// What a right code is accepted with all the same: it is in numbers that a store counts with alone.
  private static let harmless: Set<StoreGarbage> = [
    .anotherChallenge, .negativeNumbers, .nothingAccepted, .attemptsThatAreOver,
  ]

  private static func refusal(for garbage: StoreGarbage, _ isRight: Bool) -> AuthErrorCode {
    switch garbage {
    case .recordsOfAnotherUser, .anotherFactor, .noFactorAndNoChallenge, .emptySecrets, .longSecrets: .internalError
    case .anotherKind, .noSuchThing: .multiFactorInfoNotFound
    case .laterGeneration: .userTokenExpired
    case .refusedForever, .refusedUntilNoTime: .tooManyRequests
    case .anotherChallenge, .negativeNumbers, .largestNumbers, .nothingAccepted, .attemptsThatAreOver:
      .invalidVerificationCode
    }
  }

  @Test(
    arguments: [.recordsOfAnotherUser, .anotherChallenge, .noFactorAndNoChallenge, .emptySecrets] as [StoreGarbage])
  func `A phone's code is checked against its own challenge alone`(garbage: StoreGarbage) async throws {
    let host = try Host()
    let (_, uid) = try await host.enrollPhone()
    let resolver = try await host.resolver()
    let assertion = try await host.phoneAssertion(uid, in: resolver)
    host.store.answer(with: garbage)
    let expected: AuthErrorCode = garbage == .emptySecrets ? .invalidVerificationCode : .internalError
    #expect(await errorCode { try await resolver.resolveSignIn(with: assertion) } == expected)
    host.store.recover()
    #expect(try await host.store.account(of: "u1").factors.first?.attempts.consecutiveFailures == 1)
    _ = try await resolver.resolveSignIn(with: assertion)
  }

  @Test(arguments: StoreKind.available)
  func `Nobody signs in by what a store holds of somebody else`(on kind: StoreKind) async throws {
    let host = try Host(kind)
    _ = try await host.enrollTOTP()
    host.store.answer(with: .recordsOfAnotherUser)
    #expect(await errorCode { try await host.signIn() } == .internalError)
    #expect(await errorCode { try await host.signIn(Host.bob) } == .internalError)
    #expect(await errorCode { try await host.auth.admin.factors(of: "u1") } == .internalError)
  }
}
