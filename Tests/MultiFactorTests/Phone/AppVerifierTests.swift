import Testing

@testable import MultiFactor

/// Whether a request comes from the host's app.
@Suite struct AppVerifierTests {
  @Test func `The verifier is asked with what the app sent along, for enrolment and sign-in`() async throws {
    let verifier = RecordingAppVerifier()
    let host = try await Host(appVerifier: verifier)
    let (_, phone) = try await host.enrollPhone()
    let session = try await host.signIn(Host.bob).multiFactor.session()
    _ = try await host.phones.verifyPhoneNumber(
      "+15105551234", appCredential: .recaptcha("token"), multiFactorSession: session)
    let resolver = try await host.resolver()
    let hint = try #require(resolver.hints.first { $0.uid == phone })
    _ = try await host.phones.verifyPhoneNumber(
      with: hint, appCredential: .pushReceipt("receipt"), multiFactorSession: resolver.session)
    #expect(verifier.requests == ["u1: nothing", "u2: recaptcha token", "u1: push receipt"])
  }

  @Test(arguments: [RecordingAppVerifier.Answer.no, .failure])
  func `A sign-in's message needs its word too, and the challenge of before lives on`(
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
    #expect(error?.code == (answer == .no ? .appNotVerified : .internalError))
    #expect(error?.reason == (answer == .no ? nil : .appVerifier))
    #expect(log.last == "message_refused \(answer == .no ? "app_not_verified" : "app_verifier")")
    #expect(host.sender.messages.count == sent)
    _ = try await host.answer(id, code, resolver)
  }

  @Test func `Without a verifier the host has seen to it`() async throws {
    let host = try await Host()
    _ = try await host.enrollPhone()
    #expect(host.sender.messages.count == 1)
  }
}
