import Foundation
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// The most messages that are sent to a number, for a user, and overall.
@Suite struct SendLimitTests {
  private static func host(
    _ kind: StoreKind = .memory, perNumber: Int = 100, perUser: Int = 100, overall: Int = 100,
    log: RecordingLog = RecordingLog(),
    appVerifier: (any AppVerifier)? = nil
  ) async throws -> Host {
    let limits = try SendLimits(
      perUser: .init(perUser, every: .seconds(3600)), signInsPerNumber: .init(perNumber, every: .seconds(3600)),
      signInsOverall: .init(overall, every: .seconds(3600)),
      enrollmentsPerNumber: .init(perNumber, every: .seconds(3600)),
      enrollmentsOverall: .init(overall, every: .seconds(3600)))
    return try await Host(
      kind,
      configuration: MultiFactorConfiguration(providerConfigs: [.phone(testPhoneNumbers: ["+15550000000": "123456"])]),
      appVerifier: appVerifier, limits: limits, log: log.append)
  }

  private func send(_ host: Host, _ number: Int, for user: Int = 1) async throws -> String {
    let principal = Principal(id: "u\(user)", email: "a@example.com", isEmailVerified: true)
    let session = try await host.signIn(principal).multiFactor.session()
    return try await host.phones.verifyPhoneNumber("+1510555000\(number)", multiFactorSession: session)
  }

  @Test func `Messages to one number are limited, however many users request them`() async throws {
    let log = RecordingLog()
    let host = try await SendLimitTests.host(perNumber: 2, log: log)
    let start = host.clock.now
    for user in 1...2 {
      _ = try await send(host, 1, for: user)
      host.clock.advance(by: 10)
    }
    let error = await authError { try await send(host, 1, for: 3) }
    #expect(error?.code == .quotaExceeded)
    #expect(error?.retryAfter == start.addingTimeInterval(3600))
    #expect(log.last == "message_refused quota")
    #expect(host.sender.messages.count == 2)
    _ = try await send(host, 2, for: 3)

    host.clock.now = start.addingTimeInterval(3599.999)
    await expectError(.quotaExceeded) { try await send(host, 1, for: 3) }
    host.clock.now = start.addingTimeInterval(3600)
    _ = try await send(host, 1, for: 3)
    await expectError(.quotaExceeded) { try await send(host, 1, for: 3) }
  }

  @Test func `Messages for one user are limited, to any numbers, enrolled or not`() async throws {
    let host = try await SendLimitTests.host(perUser: 3)
    for number in 1...2 { _ = try await send(host, number) }
    let (_, phone) = try await host.enrollPhone("+15105550003")
    await expectError(.quotaExceeded) { try await host.challenge(phone) }
    #expect(host.sender.messages.count == 3)
    _ = try await send(host, 4, for: 2)
  }

  @Test func `Messages overall are limited, for any number of users and numbers`() async throws {
    let host = try await SendLimitTests.host(overall: 3)
    for number in 1...3 { _ = try await send(host, number, for: number) }
    await expectError(.quotaExceeded) { try await send(host, 4, for: 4) }
    #expect(host.sender.messages.count == 3)
  }

  @Test
  func `A refused message does not count, and one that could not be sent counts only for its user`() async throws {
    let host = try await SendLimitTests.host(perNumber: 2, perUser: 3)
    host.sender.fails = true
    await expectError(.internalError) { try await send(host, 1) }
    host.sender.fails = false
    for _ in 0..<2 { _ = try await send(host, 1) }
    await expectError(.quotaExceeded) { try await send(host, 2) }
    for _ in 0..<5 { await expectError(.quotaExceeded) { try await send(host, 1) } }
    host.clock.advance(by: 3600)
    for _ in 0..<2 { _ = try await send(host, 1) }
  }

  @Test func `A message that one limit refuses does not count toward any other`() async throws {
    var host = try await SendLimitTests.host(perNumber: 2, perUser: 1, overall: 3)
    _ = try await send(host, 1)
    for _ in 0..<3 { await expectError(.quotaExceeded) { try await send(host, 1) } }
    _ = try await send(host, 1, for: 2)
    _ = try await send(host, 2, for: 3)
    await expectError(.quotaExceeded) { try await send(host, 3, for: 4) }

    host = try await SendLimitTests.host(perNumber: 1, overall: 1)
    _ = try await send(host, 1)
    host.clock.advance(by: 1800)
    await expectError(.quotaExceeded) { try await send(host, 2) }
    host.clock.advance(by: 1800)
    _ = try await send(host, 2)
  }

  @Test(arguments: StoreKind.available)
  func `Many simultaneous requests get no more messages than the limit`(on kind: StoreKind) async throws {
    let host = try await SendLimitTests.host(kind, perNumber: 5)
    let codes = await errorCodes(1...50) { user in try await send(host, 1, for: user) }
    #expect(codes.count { $0 == nil } == 5)
    #expect(codes.count { $0 == .quotaExceeded } == 45)
    #expect(host.sender.messages.count == 5)
  }

  @Test func `The app is verified before anything is counted or sent`() async throws {
    let verifier = RecordingAppVerifier()
    let host = try await SendLimitTests.host(perNumber: 1, appVerifier: verifier)
    for answer in [RecordingAppVerifier.Answer.no, .failure] {
      verifier.answer = answer
      let expected: AuthError.Code = answer == .no ? .missingAppCredential : .internalError
      await expectError(expected) { try await send(host, 1) }
    }
    #expect(host.sender.messages.isEmpty)
    verifier.answer = .yes
    _ = try await send(host, 1)
    #expect(host.sender.messages.count == 1)
  }

  @Test func `A test number has its own code, is sent no message, and does not count`() async throws {
    let host = try await SendLimitTests.host(perNumber: 1, perUser: 1, overall: 1)
    let user = try await host.signIn()
    var id = ""
    for _ in 0..<5 {
      id = try await host.phones.verifyPhoneNumber("+15550000000", multiFactorSession: user.multiFactor.session())
    }
    #expect(host.sender.messages.isEmpty)
    let wrong = host.phones.credential(withVerificationID: id, verificationCode: "654321")
    await expectError(.invalidVerificationCode) {
      try await user.multiFactor.enroll(with: PhoneMultiFactorGenerator.assertion(with: wrong), displayName: nil)
    }
    let right = host.phones.credential(withVerificationID: id, verificationCode: "123456")
    try await user.multiFactor.enroll(with: PhoneMultiFactorGenerator.assertion(with: right), displayName: nil)
    let phone = try #require(user.claims.secondFactorIdentifier)

    // It also signs in and leaves the quota untouched; each of its challenges is valid once.
    let (resolver, signIn) = try await host.challenge(phone)
    _ = try await host.answer(signIn, "123456", resolver)
    await expectError(.invalidVerificationCode) { try await host.answer(signIn, "123456", resolver) }
    _ = try await send(host, 1, for: 2)
  }
}
