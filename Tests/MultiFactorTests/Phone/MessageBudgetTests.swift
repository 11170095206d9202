import Foundation
import MultiFactorOperations
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// The budgets that enrollments use, and what they cannot take from sign-ins.
@Suite struct MessageBudgetTests {
  private static func host(
    _ limits: SendLimits, on kind: StoreKind = .memory, log: RecordingLog = RecordingLog()
  ) async throws -> Host {
    try await Host(
      kind,
      configuration: MultiFactorConfiguration(providerConfigs: [.phone(testPhoneNumbers: ["+15550000000": "123456"])]),
      limits: limits, log: log.append)
  }

  private static func hourly(_ count: Int) throws -> SendLimits.Limit { try .init(count, every: .seconds(3600)) }

  private static func principal(_ name: String) -> Principal {
    Principal(id: name, email: "a@example.com", isEmailVerified: true)
  }

  /// Requests the enrollment of a number, by a new user.
  private func ask(_ host: Host, _ number: String, by name: String) async throws -> String {
    let session = try await host.signIn(Self.principal(name)).multiFactor.session()
    return try await host.phones.verifyPhoneNumber(number, multiFactorSession: session)
  }

  @Test func `Enrolling a victim's number does not use up the victim's messages for sign-in`() async throws {
    let host = try await Self.host(SendLimits(signInsPerNumber: Self.hourly(2), enrollmentsPerNumber: Self.hourly(3)))
    let (_, uid) = try await host.enrollPhone()
    for name in ["a", "b"] { _ = try await ask(host, "+15105551234", by: name) }
    for name in ["c", "d", "e"] {
      await expectError(.quotaExceeded) { try await ask(host, "+15105551234", by: name) }
    }
    for _ in 0..<2 { _ = try await host.challenge(uid) }
    await expectError(.quotaExceeded) { try await host.challenge(uid) }
  }

  @Test(arguments: StoreKind.available)
  func `Enrolled numbers keep their share of messages, however many enrollments are requested`(on kind: StoreKind)
    async throws
  {
    let host = try await Self.host(
      SendLimits(signInsOverall: Self.hourly(2), enrollmentsOverall: Self.hourly(4)), on: kind)
    let (_, uid) = try await host.enrollPhone()
    let codes = await errorCodes(10..<30) { index in try await ask(host, "+491701230\(index)", by: "x\(index)") }
    #expect(codes.count { $0 == nil } == 3 && codes.count { $0 == .quotaExceeded } == 17)
    for _ in 0..<2 { _ = try await host.challenge(uid) }
    await expectError(.quotaExceeded) { try await host.challenge(uid) }
  }

  @Test func `A message whose client hangs up while it is handed over counts against no number`() async throws {
    let log = RecordingLog()
    let host = try await Self.host(SendLimits(enrollmentsPerNumber: Self.hourly(1)), log: log)
    for round in 0..<2 {
      let handing = Gate()
      let never = Gate()
      host.sender.meanwhile.withLock { work in
        work = {
          handing.open()
          await never.passed()
          try Task.checkCancellation()
        }
      }
      let client = Task {
        // Even if nothing was handed over, so that the test ends.
        defer { handing.open() }
        return await authError { try await ask(host, "+15105551234", by: "a\(round)") }
      }
      await handing.passed()
      client.cancel()
      let error = await client.value
      #expect(error?.code == .internalError && error?.reason == .cancelled)
      #expect(log.last == "message_refused cancelled")
      host.sender.meanwhile.withLock { $0 = nil }
    }
    #expect(host.sender.messages.isEmpty)
    _ = try await ask(host, "+15105551234", by: "b")
    await expectError(.quotaExceeded) { try await ask(host, "+15105551234", by: "c") }
  }

  @Test
  func `A client that disconnects before its message is handed over is sent nothing, and nothing counts`() async throws
  {
    let host = try await Self.host(SendLimits(perUser: Self.hourly(1)))
    let session = try await host.signIn().multiFactor.session()
    let client = Task {
      unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
      return await authError {
        try await host.phones.verifyPhoneNumber("+15105551234", multiFactorSession: session)
      }
    }
    #expect(await client.value?.reason == .cancelled)
    #expect(host.sender.messages.isEmpty)
    _ = try await host.phones.verifyPhoneNumber("+15105551234", multiFactorSession: session)
  }

  @Test
  func `If a user requests a code twice at once, both requests succeed and the code sent last works`() async throws {
    let host = try await Self.host(.standard)
    let (_, uid) = try await host.enrollPhone()
    let handing = Gate()
    let arrives = Gate()
    host.sender.meanwhile.withLock { work in
      work = {
        handing.open()
        await arrives.passed()
      }
    }
    let first = Task {
      defer { handing.open() }
      return try await host.challenge(uid)
    }
    await handing.passed()
    host.sender.meanwhile.withLock { $0 = nil }
    let second = try await host.challenge(uid)
    let secondCode = host.sender.lastCode
    arrives.open()
    let (resolver, id) = try await first.value
    let code = host.sender.lastCode
    #expect(host.sender.messages.suffix(2).map(\.verificationID) == [second.id, id])

    let overtaken = await errorCode { try await host.answer(second.id, secondCode, second.resolver) }
    #expect(overtaken == .invalidVerificationCode)
    _ = try await host.answer(id, code, resolver)
  }

  @Test func `A message that one limit refuses does not count toward any other`() async throws {
    var host = try await Self.host(
      SendLimits(perUser: Self.hourly(1), enrollmentsPerNumber: Self.hourly(2), enrollmentsOverall: Self.hourly(3)))
    let numbers = ["+15105550001", "+15105550002", "+15105550003"]
    _ = try await ask(host, numbers[0], by: "a")
    for _ in 0..<3 { await expectError(.quotaExceeded) { try await ask(host, numbers[0], by: "a") } }
    _ = try await ask(host, numbers[0], by: "b")
    _ = try await ask(host, numbers[1], by: "c")
    await expectError(.quotaExceeded) { try await ask(host, numbers[2], by: "d") }

    host = try await Self.host(SendLimits(enrollmentsPerNumber: Self.hourly(1), enrollmentsOverall: Self.hourly(1)))
    _ = try await ask(host, numbers[0], by: "a")
    host.clock.advance(by: 1800)
    await expectError(.quotaExceeded) { try await ask(host, numbers[1], by: "a") }
    host.clock.advance(by: 1800)
    _ = try await ask(host, numbers[1], by: "a")
  }

  @Test func `A test number has its own code, is sent no message, and does not count`() async throws {
    let host = try await Self.host(SendLimits(perUser: Self.hourly(1), enrollmentsPerNumber: Self.hourly(1)))
    let user = try await host.signIn()
    for (code, end) in [("654321", .invalidVerificationCode), ("123456", nil)] as [(String, AuthError.Code?)] {
      let id = try await host.phones.verifyPhoneNumber("+15550000000", multiFactorSession: user.multiFactor.session())
      let credential = host.phones.credential(withVerificationID: id, verificationCode: code)
      let assertion = PhoneMultiFactorGenerator.assertion(with: credential)
      await expectError(end) { try await user.multiFactor.enroll(with: assertion, displayName: nil) }
    }
    for _ in 0..<3 {
      let (resolver, id) = try await host.challenge(#require(user.claims.secondFactorIdentifier))
      _ = try await host.answer(id, "123456", resolver)
    }
    #expect(host.sender.messages.isEmpty)
  }

  @Test func `Only numbers in the served regions are sent anything`() async throws {
    let log = RecordingLog()
    let host = try await Self.host(SendLimits(regions: ["+49", "+1510"]), log: log)
    _ = try await ask(host, "+491701234567", by: "a")
    _ = try await ask(host, "+15105551234", by: "a")
    for number in ["+481701234567", "+4170123456", "+15115551234", "+15005105510"] {
      await expectError(.operationNotAllowed) { try await ask(host, number, by: "a") }
      #expect(log.last == "message_refused region")
    }
    // Nor is an imported number outside them.
    let uid = try await host.auth.admin.importFactor(.phone(number: "+4170123456"), for: "u1")
    await expectError(.operationNotAllowed) { try await host.challenge(uid) }
    #expect(host.sender.messages.count == 2)
  }

  @Test(arguments: ["", "49", "+", "+0", "+4 9", "+49a", "+٤٩", "+1234567890123456"])
  func `A region must be a prefix that a number can have`(region: String) {
    #expect(throws: ConfigurationError.outOfRange("regions")) { try SendLimits(regions: ["+49", region]) }
  }

  @Test(arguments: [-0.1, 1.1, .nan]) func `A share and a score must be in 0...1`(value: Double) throws {
    #expect(throws: ConfigurationError.outOfRange("minimumAnsweredShare")) {
      try SendLimits(minimumAnsweredShare: value)
    }
    #expect(throws: ConfigurationError.outOfRange("minimumAppScore")) { try SendLimits(minimumAppScore: value) }
    #expect(try SendLimits() == .standard)
  }

  @Test(arguments: StoreKind.available)
  func `Of thirty numbers with one prefix, only as many as its limit are sent a message`(
    on kind: StoreKind
  ) async throws {
    let host = try await Self.host(
      SendLimits(enrollmentsPerPrefix: Self.hourly(6), enrollmentsOverall: Self.hourly(100)), on: kind)
    let codes = await errorCodes(10..<40) { index in try await ask(host, "+2637712345\(index)", by: "x\(index)") }
    #expect(codes.count { $0 == nil } == 6 && codes.count { $0 == .quotaExceeded } == 24)
    // Other prefixes are unaffected.
    _ = try await ask(host, "+2637812345678", by: "y")
  }

  @Test
  func `A prefix that requests many codes and verifies few is refused for enrollment, but not for sign-in`()
    async throws
  {
    let log = RecordingLog()
    let host = try await Self.host(
      SendLimits(enrollmentsPerNumber: Self.hourly(100), minimumAnsweredShare: 0.1), log: log)
    let (_, uid) = try await host.enrollPhone("+263771234567")
    for index in 0..<19 { _ = try await ask(host, "+2637712345\(10 + index)", by: "x\(index)") }
    let start = host.clock.now
    // Codes that can still be answered do not count as unanswered.
    _ = try await ask(host, "+263771234599", by: "y")
    host.clock.advance(by: 300)
    let error = await authError { try await ask(host, "+263771234599", by: "z") }
    #expect(error?.code == .quotaExceeded)
    #expect(error?.retryAfter == start.addingTimeInterval(3600))
    #expect(log.last == "message_refused unanswered")
    _ = try await host.challenge(uid)
    _ = try await ask(host, "+263781234599", by: "z")
    // After an hour they are forgotten.
    host.clock.now = start.addingTimeInterval(3600)
    _ = try await ask(host, "+263771234599", by: "z")
  }

  @Test(arguments: [(1, false), (2, true)]) func `A prefix with a sufficient share of verified codes is not refused`(
    _ given: (proved: Int, isOpen: Bool)
  ) async throws {
    let (proved, isOpen) = given
    let host = try await Self.host(SendLimits(minimumAnsweredShare: 0.1))
    for index in 0..<proved {
      _ = try await host.enrollPhone("+26377123450\(index)", Self.principal("p\(index)"))
    }
    for index in proved..<20 { _ = try await ask(host, "+2637712345\(10 + index)", by: "x\(index)") }
    host.clock.advance(by: 300)
    #expect(await errorCode { try await ask(host, "+263771234599", by: "z") } == (isOpen ? nil : .quotaExceeded))
  }
}

/// Lets one task through once the gate is open or that task is cancelled.
private final class Gate: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func open() { continuation.yield() }

  func passed() async { for await _ in stream { break } }
}
