import Foundation
import OTP
import Testing

@testable import MultiFactor

/// The event `failed` is meant for an alarm: it means that the server has failed, and no user can cause it.
@Suite struct FailedEventTests {
  @Test func `A client that hangs up is never a server failure, whatever error the store throws`()
    async throws
  {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    let (_, key, uid) = try await host.enrollTOTP()
    let resolver = try await host.resolver()
    let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: uid, oneTimePassword: try host.wrongCode(for: key))
    // The store throws an error of its own for the cancelled request.
    host.store.fail(atCall: 1, .failsBefore)
    let request = Task {
      unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
      return await authError { try await resolver.resolveSignIn(with: assertion) }
    }
    let error = await request.value
    #expect(error?.code == .internalError && error?.reason == .cancelled)
    #expect(log.events.allSatisfy { $0.kind != .failed })
    // A store that fails while the client waits is a failure.
    host.store.fail(atCall: 1, .failsBefore)
    _ = await errorCode { try await resolver.resolveSignIn(with: assertion) }
    #expect(log.last == "failed store")
  }

  @Test(arguments: FactorStoreError.Kind.allCases)
  func `The host and the operator learn why the store failed, and whether a code may be spent`(
    kind: FactorStoreError.Kind
  ) async throws {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    let (_, key, uid) = try await host.enrollTOTP()
    host.clock.advance(by: 30)
    let resolver = try await host.resolver()
    let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: uid, oneTimePassword: try host.code(of: key))
    host.store.fail(
      atCall: 1, kind == .outcomeUnknown ? .failsAfter : .failsBefore, with: FactorStoreError(kind, code: "TEST 1"))
    let error = await authError { try await resolver.resolveSignIn(with: assertion) }
    #expect(error?.code == .internalError && error?.reason == .store)
    #expect(error?.storeError == FactorStoreError(kind, code: "TEST 1"))
    #expect(error?.isOutcomeUnknown == (kind == .outcomeUnknown))
    #expect(log.events.last?.storeError == kind)
    // What it says of the code is true.
    host.store.recover()
    let again = await errorCode { try await resolver.resolveSignIn(with: assertion) }
    #expect(again == (kind == .outcomeUnknown ? .invalidVerificationCode : nil))
  }

  @Test func `After an error of the store's own, and after a cancelled request, a code may be spent`() async throws {
    let host = try await Host()
    host.store.fail(atCall: 1, .failsAfter)
    let error = await authError { try await host.signIn() }
    #expect(error?.reason == .store && error?.storeError == nil && error?.isOutcomeUnknown == true)
    #expect(AuthError(.internalError, reason: .cancelled).isOutcomeUnknown)
    for error in [AuthError(.internalError, reason: .sealing), AuthError(.invalidVerificationCode)] {
      #expect(!error.isOutcomeUnknown)
    }
  }
}
