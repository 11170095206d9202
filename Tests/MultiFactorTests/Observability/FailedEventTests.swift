import Foundation
import OTP
import Testing

@testable import MultiFactor

/// The event `failed` is meant for an alarm: it means that the server has failed, and no user can cause it.
@Suite struct FailedEventTests {
  /// A store that throws its own error for a cancelled request.
  private struct HangingUpStore: FactorStore {
    struct QueryCancelled: Error {}
    let base = InMemoryFactorStore()

    func read(_ key: DocumentKey) async throws -> StoredDocument {
      if Task.isCancelled { throw QueryCancelled() }
      return await base.read(key)
    }
    func change<R: Sendable>(
      _ key: DocumentKey, _ change: @escaping @Sendable (inout StoredDocument) throws -> R
    ) async throws -> R {
      if Task.isCancelled { throw QueryCancelled() }
      return try await base.change(key, change)
    }
    func keys(after key: DocumentKey?, limit: Int) async throws -> [DocumentKey] {
      await base.keys(after: key, limit: limit)
    }
  }

  @Test func `A client that hangs up is never a server failure, whatever error the store throws`()
    async throws
  {
    let log = RecordingLog()
    let host = try await Host(store: HangingUpStore(), log: log.append)
    let (_, key, uid) = try await host.enrollTOTP()
    let resolver = try await host.resolver()
    let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: uid, oneTimePassword: try host.wrongCode(for: key))
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

  @Test func `No argument that a user passes is reported as a failure of the server`() async throws {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    let (user, key, uid) = try await host.enrollTOTP()
    let resolver = try await host.resolver()
    let session = try await user.multiFactor.session()
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: session)
    let tokens = try [user.token(), session.token(), secret.token(), resolver.token()]
    let texts =
      tokens + tokens.map { String($0.dropLast()) } + tokens.map { $0 + "A" } + tokens.map { String($0.reversed()) } + [
        "", " ", "=", "\0", "-", "AAAA", uid, key, "123456", "+15105551234", "é", String(repeating: "A", count: 5000),
      ]
    for text in texts where text != uid {
      for use in [
        { try await host.auth.user(from: text) as Any }, { try await host.auth.resolver(from: text) },
        { try host.auth.session(from: text) }, { try host.auth.totpSecret(from: text) },
        { try host.auth.hotpSecret(from: text) }, { try await host.answer(text, "123456", resolver) },
        { try await host.answer("AAAA", text, resolver) }, { try await host.resolve(text, code: "123456") },
        { try await host.resolve(uid, code: text) }, { try await host.recover(text) },
        { try await host.resolve(hotp: uid, codes: [text, text]) },
        {
          try await user.multiFactor.unenroll(
            with: TOTPMultiFactorInfo(uid: text, displayName: nil, enrollmentDate: .distantPast))
        },
        { try await host.phones.verifyPhoneNumber(text, multiFactorSession: session) },
        {
          try await user.multiFactor.enroll(
            with: TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: text),
            displayName: text)
        },
      ] as [() async throws -> Any] {
        let code = await errorCode(use)
        #expect(code != .internalError, "\(text)")
      }
    }
    let failed = log.events.filter { $0.kind == .failed }
    #expect(failed.isEmpty, "\(failed)")
    #expect(log.events.count > 100)
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
