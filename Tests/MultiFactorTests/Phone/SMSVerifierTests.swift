import Keyring
import MultiFactorOperations
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// Codes that only their provider knows: an attempt is counted before the provider is asked, and the challenge ends
/// after it has accepted the code.
@Suite struct SMSVerifierTests {
  private let provider = RecordingSMSVerifier()

  private func host(_ kind: StoreKind = .memory, log: RecordingLog = RecordingLog()) async throws -> Host {
    try await Host(kind, smsVerifier: provider, log: log.append)
  }

  private func enroll(_ host: Host, _ principal: Principal = Host.alice) async throws -> (user: User, uid: String) {
    let user = try await host.signIn(principal)
    let id = try await host.phones.verifyPhoneNumber("+15105551234", multiFactorSession: user.multiFactor.session())
    try await host.enroll(user, id, provider.lastCode)
    return (user, try #require(user.claims.secondFactorIdentifier))
  }

  @Test
  func `A provider's code enrolls and signs in once each, although the provider accepts it repeatedly`() async throws {
    let host = try await host()
    let user = try await host.signIn()
    let session = try await user.multiFactor.session()
    let first = try await host.phones.verifyPhoneNumber("+15105551234", multiFactorSession: session)
    #expect(provider.sent.map(\.phoneNumber) == ["+15105551234"])
    #expect(provider.sent.map(\.verificationID) == [first])
    try await host.enroll(user, first, provider.lastCode)
    await expectError(.invalidVerificationCode) { try await host.enroll(user, first, provider.lastCode) }

    let uid = try #require(user.claims.secondFactorIdentifier)
    let (resolver, id) = try await host.challenge(uid)
    await expectError(.invalidVerificationCode) { try await host.answer(id, "9999", resolver) }
    _ = try await host.answer(id, provider.lastCode, resolver)
    await expectError(.invalidVerificationCode) { try await host.answer(id, provider.lastCode, resolver) }
    // The provider is not asked about an ended challenge.
    #expect(provider.checked.count == 3)
    #expect(host.sender.messages.isEmpty)
  }

  @Test(arguments: StoreKind.available)
  func `Simultaneous guesses are limited to the challenge's attempts, each counted before the provider is asked`(
    on kind: StoreKind
  ) async throws {
    let host = try await host(kind)
    let (_, uid) = try await enroll(host)
    let (resolver, id) = try await host.challenge(uid)
    let asked = provider.checked.count
    let counted = Locked<[Int]>([])
    provider.meanwhile.withLock { work in
      work = {
        let failures = try await host.account().factors[0].attempts.failures
        counted.withLock { $0.append(Int(failures)) }
      }
    }
    _ = await errorCodes(0..<50) { guess in try await host.answer(id, "\(9000 + guess)", resolver) }
    // The host retains its provider, which retains this closure.
    provider.meanwhile.withLock { $0 = nil }
    let guesses = provider.checked.count - asked
    #expect(1...Challenge.maximumTries ~= guesses)
    #expect(counted.withLock { $0 }.allSatisfy { $0 >= 1 })
    #expect(try await host.account().factors[0].attempts.failures >= UInt64(guesses))
  }

  @Test func `If the provider fails, nothing is accepted, and the attempt stays counted`() async throws {
    let log = RecordingLog()
    let host = try await host(log: log)
    let (_, uid) = try await enroll(host)
    let (resolver, id) = try await host.challenge(uid)
    provider.fails = true
    let error = await authError { try await host.answer(id, provider.lastCode, resolver) }
    #expect(error?.code == .internalError && error?.reason == .sender)
    #expect(log.last == "code_refused sender")
    #expect(try await host.account().factors[0].attempts.failures == 1)
    let unsent = await authError { try await host.challenge(uid) }
    #expect(unsent?.code == .internalError && unsent?.reason == .sender)
    provider.fails = false
    _ = try await host.answer(id, provider.lastCode, resolver)
  }

  @Test func `A code is not accepted after a change that was made while the provider was asked`() async throws {
    typealias Change = @Sendable (Host, _ uid: String) async throws -> Void
    let changes: [(AuthError.Code, Change)] = [
      (.userTokenExpired, { host, _ in try await host.auth.admin.revokeTokens(of: "u1") }),
      // Another message replaces the one that is answered.
      (.invalidVerificationCode, { host, uid in _ = try await host.challenge(uid) }),
      // Another number gets the factor's name.
      (
        .multiFactorInfoNotFound,
        { host, uid in
          try await host.auth.admin.removeFactor(uid, of: "u1")
          try await host.auth.admin.importFactor(.phone(number: "+15105550000", uid: uid), for: "u1")
        }
      ),
    ]
    for (refusal, change) in changes {
      let host = try await host()
      let (user, uid) = try await enroll(host)
      _ = try await host.enrollTOTP(as: user)
      let (resolver, id) = try await host.challenge(uid)
      let code = provider.lastCode
      provider.meanwhile.withLock { $0 = { try await change(host, uid) } }
      await expectError(refusal) { try await host.answer(id, code, resolver) }
      // The host retains its provider, which retains this closure.
      provider.meanwhile.withLock { $0 = nil }
    }
  }

  @Test
  func `A text that is not a code, and a message whose name at the provider is too long, are refused`() async throws {
    let host = try await host()
    let (_, uid) = try await enroll(host)
    let (resolver, id) = try await host.challenge(uid)
    let asked = provider.checked.count
    for text in ["123", "12345678901", "abcd"] {
      await expectError(.invalidVerificationCode) { try await host.answer(id, text, resolver) }
    }
    #expect(provider.checked.count == asked)
    provider.answer(with: String(repeating: "x", count: 257))
    await expectError(.internalError) { try await host.challenge(uid) }
    // The previous challenge is still alive.
    _ = try await host.answer(id, "4712", resolver)
  }

  @Test func `A provider's challenge cannot be answered on a server that makes its own codes, and vice versa`()
    async throws
  {
    for isAsked in [false, true] {
      let host = try await Host(smsVerifier: isAsked ? nil : provider)
      let other = try await Host(store: host.store, keyring: host.keyring, smsVerifier: isAsked ? provider : nil)
      let user = try await host.signIn()
      let id = try await host.phones.verifyPhoneNumber("+15105551234", multiFactorSession: user.multiFactor.session())
      let there = try await other.signIn()
      let code = isAsked ? host.sender.lastCode : "4712"
      #expect(
        await errorCode {
          try await other.enroll(there, id, code)
        } == (isAsked ? nil : .invalidVerificationCode))
      #expect(provider.checked.isEmpty)
    }
  }

  @Test func `A sender or a verifier is required, and only one of them`() async throws {
    let configuration = try MultiFactorConfiguration(providerConfigs: [.phone()])
    for (factors, kind) in [
      ([], .incomplete),
      ([try PhoneFactor(sender: RecordingSMSSender()), try PhoneFactor(verifier: provider)], .duplicate),
    ] as [([any ExternalFactor], ConfigurationError.Kind)] {
      await #expect(throws: ConfigurationError(kind, kind == .duplicate ? "externalFactors[1]" : "externalFactors")) {
        try await MultiFactorAuth(
          configuration: configuration, store: InMemoryFactorStore(), keyring: Keyring(), externalFactors: factors)
      }
    }
  }
}
