import MultiFactorOperations
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// The check that a request comes from the host's app.
@Suite struct AppVerifierTests {
  @Test func `The verifier gets the app's verification, at enrollment and at sign-in`() async throws {
    let verifier = RecordingAppVerifier()
    let host = try await Host(appVerifier: verifier)
    let (_, phone) = try await host.enrollPhone()
    let session = try await host.signIn(Host.bob).multiFactor.session()
    _ = try await host.phones.verifyPhoneNumber(
      "+15105559999", appCredential: .recaptcha("token"), clientAddress: "192.0.2.1", multiFactorSession: session)
    _ = try await host.phones.verifyPhoneNumber(
      "+15105559999", appCredential: .recaptcha("token", version: "RECAPTCHA_ENTERPRISE"), multiFactorSession: session)
    let resolver = try await host.resolver()
    let hint = try #require(resolver.hints.first { $0.uid == phone })
    _ = try await host.phones.verifyPhoneNumber(
      with: hint, appCredential: .pushReceipt("receipt", secret: "secret"), clientAddress: "2001:db8::1",
      multiFactorSession: resolver.session)
    #expect(
      verifier.requests == [
        "u1 +15105551234 ?: nothing", "u2 +15105559999 192.0.2.1: recaptcha token ?",
        "u2 +15105559999 ?: recaptcha token RECAPTCHA_ENTERPRISE", "u1 +15105551234 2001:db8::1: push receipt secret",
      ])
  }

  @Test func `A sign-in that is revoked while the verifier is asked has no message`() async throws {
    let verifier = RecordingAppVerifier()
    let host = try await Host(appVerifier: verifier)
    let (_, phone) = try await host.enrollPhone()
    let sent = host.sender.messages.count
    verifier.meanwhile.withLock { $0 = { try await host.auth.admin.revokeTokens(of: "u1") } }
    await expectError(.userTokenExpired) { try await host.challenge(phone) }
    verifier.meanwhile.withLock { $0 = nil }
    #expect(host.sender.messages.count == sent)
  }

  @Test(arguments: [RecordingAppVerifier.Answer.no, .failure])
  func `A sign-in's message needs the verifier's approval too, and a refusal leaves the previous challenge alive`(
    answer: RecordingAppVerifier.Answer
  ) async throws {
    let verifier = RecordingAppVerifier()
    let log = RecordingLog()
    let host = try await Host(appVerifier: verifier, log: log.append)
    let (_, phone) = try await host.enrollPhone()
    let (resolver, id) = try await host.challenge(phone)
    let code = host.sender.lastCode
    let sent = host.sender.messages.count

    verifier.answer = answer
    let error = await authError { try await host.challenge(phone) }
    #expect(error?.code == (answer == .no ? .missingAppCredential : .internalError))
    #expect(error?.reason == (answer == .no ? nil : .appVerifier))
    #expect(log.last == "message_refused \(answer == .no ? "app_not_verified" : "app_verifier")")
    #expect(host.sender.messages.count == sent)
    _ = try await host.answer(id, code, resolver)
  }

  @Test func `A refusal has the SDK's error code for the kind of verification that the app sent`() async throws {
    let verifier = RecordingAppVerifier()
    let log = RecordingLog()
    let host = try await Host(appVerifier: verifier, log: log.append)
    let session = try await host.signIn().multiFactor.session()
    verifier.answer = .no
    for (credential, code) in [
      (nil, .missingAppCredential), (.pushReceipt("r", secret: "s"), .invalidAppCredential),
      (.recaptcha("t"), .captchaCheckFailed),
    ] as [(AppCredential?, AuthError.Code)] {
      let error = await errorCode {
        try await host.phones.verifyPhoneNumber("+15105551234", appCredential: credential, multiFactorSession: session)
      }
      #expect(error == code)
      #expect(log.last == "message_refused app_not_verified")
    }
    #expect(host.sender.messages.isEmpty)
  }

  @Test(arguments: [(0.7, true), (0.699, false), (1, true), (0, false), (.nan, false), (-.infinity, false)])
  func `A score at or above the configured one is accepted`(score: Double, isEnough: Bool) async throws {
    let verifier = RecordingAppVerifier()
    let host = try await Host(
      configuration: MultiFactorConfiguration(providerConfigs: [.phone()]), appVerifier: verifier,
      limits: SendLimits(minimumAppScore: 0.7))
    let session = try await host.signIn().multiFactor.session()
    verifier.answer = .score(score)
    let error = await errorCode {
      try await host.phones.verifyPhoneNumber(
        "+15105551234", appCredential: .recaptcha("t"), multiFactorSession: session)
    }
    #expect(error == (isEnough ? nil : .appNotVerified))
    #expect(host.sender.messages.count == (isEnough ? 1 : 0))
  }
}
