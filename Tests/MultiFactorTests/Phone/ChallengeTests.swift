import Foundation
import MultiFactorOperations
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// A sent code is valid once, for five minutes, five tries, one purpose and one user.
@Suite struct ChallengeTests {
  private func enroll(_ host: Host, _ user: User, _ id: String, _ code: String) async throws {
    let credential = host.phones.credential(withVerificationID: id, verificationCode: code)
    try await user.multiFactor.enroll(with: PhoneMultiFactorGenerator.assertion(with: credential), displayName: nil)
  }

  @Test func `A message's code is accepted at most once, at sign-in and at enrollment`() async throws {
    let host = try await Host()
    let user = try await host.signIn()
    let first = try await host.phones.verifyPhoneNumber("+15105551234", multiFactorSession: user.multiFactor.session())
    let code = host.sender.lastCode
    try await enroll(host, user, first, code)
    let again = await errorCode { try await enroll(host, user, first, code) }
    #expect(again == .invalidVerificationCode)

    let uid = try #require(user.claims.secondFactorIdentifier)
    let (resolver, id) = try await host.challenge(uid)
    _ = try await host.answer(id, host.sender.lastCode, resolver)
    await expectError(.invalidVerificationCode) { try await host.answer(id, host.sender.lastCode, resolver) }
  }

  @Test(arguments: [4, 5]) func `A challenge allows five attempts, including the one with the right code`(
    wrongTries: Int
  ) async throws {
    let log = RecordingLog()
    let policy = try AttemptLimit(firstDelayedFailure: 100)
    let host = try await Host(
      configuration: MultiFactorConfiguration(providerConfigs: [.phone()], attemptLimit: policy), log: log.append
    )
    let (user, uid) = try await host.enrollPhone()

    let (resolver, signIn) = try await host.challenge(uid)
    let signInCode = host.sender.lastCode
    let enrollment = try await host.phones.verifyPhoneNumber(
      "+15105559999", multiFactorSession: user.multiFactor.session())
    let code = host.sender.lastCode
    for _ in 0..<wrongTries {
      await expectError(.invalidVerificationCode) {
        try await host.answer(signIn, otherCode(than: signInCode), resolver)
      }
      #expect(log.last == "code_refused wrong")
      await expectError(.invalidVerificationCode) { try await enroll(host, user, enrollment, otherCode(than: code)) }
      #expect(log.last == "enrollment_refused wrong")
    }
    let expected: AuthError.Code? = wrongTries < 5 ? nil : .invalidVerificationCode
    await expectError(expected) { try await host.answer(signIn, signInCode, resolver) }
    await expectError(expected) { try await enroll(host, user, enrollment, code) }
  }

  @Test(arguments: [299.999, 300]) func `A message's code is valid for five minutes and no longer`(age: TimeInterval)
    async throws
  {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    let (_, uid) = try await host.enrollPhone()
    let (resolver, id) = try await host.challenge(uid)
    host.clock.advance(by: age)
    let expected: AuthError.Code? = age < 300 ? nil : .invalidVerificationCode
    await expectError(expected) { try await host.answer(id, host.sender.lastCode, resolver) }
    #expect(log.last == (age < 300 ? "signed_in" : "code_refused late"))
  }

  @Test func `A message's code for an enrollment is valid for five minutes too`() async throws {
    let host = try await Host()
    let user = try await host.signIn()
    let id = try await host.phones.verifyPhoneNumber("+15105551234", multiFactorSession: user.multiFactor.session())
    host.clock.advance(by: 300)
    await expectError(.invalidVerificationCode) { try await enroll(host, user, id, host.sender.lastCode) }
  }

  @Test func `A new message replaces only the previous one for the same purpose`() async throws {
    let (host, user, uid) = try await Host.withPhone()
    let enrollment = try await host.phones.verifyPhoneNumber(
      "+15105559999", multiFactorSession: user.multiFactor.session())
    let enrollmentCode = host.sender.lastCode
    let (first, older) = try await host.challenge(uid)
    let olderCode = host.sender.lastCode
    let (second, newer) = try await host.challenge(uid)
    let newerCode = host.sender.lastCode
    await expectError(.invalidVerificationCode) { try await host.answer(older, olderCode, first) }
    _ = try await host.answer(newer, newerCode, second)
    try await enroll(host, user, enrollment, enrollmentCode)
  }

  @Test func `An answer to a replaced message uses up no attempt of its replacement`() async throws {
    let host = try await Host()
    let user = try await host.signIn()
    let session = try await user.multiFactor.session()
    let older = try await host.phones.verifyPhoneNumber("+15105551234", multiFactorSession: session)
    let olderCode = host.sender.lastCode
    let newer = try await host.phones.verifyPhoneNumber("+15105551234", multiFactorSession: session)
    for _ in 0..<5 {
      await expectError(.invalidVerificationCode) { try await enroll(host, user, older, olderCode) }
    }
    try await enroll(host, user, newer, host.sender.lastCode)
  }

  @Test func `A code sent for enrollment is refused at sign-in, and vice versa`() async throws {
    let (host, user, uid) = try await Host.withPhone()
    let enrollment = try await host.phones.verifyPhoneNumber(
      "+15105559999", multiFactorSession: user.multiFactor.session())
    let enrollmentCode = host.sender.lastCode
    let (resolver, signIn) = try await host.challenge(uid)
    let signInCode = host.sender.lastCode
    await expectError(.invalidVerificationID) { try await host.answer(enrollment, enrollmentCode, resolver) }
    await expectError(.invalidVerificationID) { try await enroll(host, user, signIn, signInCode) }
    // Both remain valid.
    try await enroll(host, user, enrollment, enrollmentCode)
    _ = try await host.answer(signIn, signInCode, resolver)
  }

  @Test func `A verification ID is valid only for its user, unchanged, and on this server`() async throws {
    let (host, _, uid) = try await Host.withPhone()
    let (resolver, id) = try await host.challenge(uid)
    let code = host.sender.lastCode
    _ = try await host.enrollPhone("+15105550000", Host.bob)
    let bobs = try await host.resolver(Host.bob)
    await expectError(.invalidVerificationID) { try await host.answer(id, code, bobs) }
    for index in id.indices {
      let changed = id.replacingCharacters(in: index...index, with: id[index] == "A" ? "B" : "A")
      await expectError(.invalidVerificationID) { try await host.answer(changed, code, resolver) }
    }
    await expectError(.invalidVerificationID) { try await host.answer(String(id.dropLast()), code, resolver) }
    await expectError(.missingVerificationID) { try await host.answer("", code, resolver) }
    await expectError(.invalidVerificationID) { try await host.answer(resolver.token(), code, resolver) }
    let elsewhere = try await Host()
    let (_, otherUID) = try await elsewhere.enrollPhone()
    let (_, otherID) = try await elsewhere.challenge(otherUID)
    await expectError(.invalidVerificationID) { try await host.answer(otherID, code, resolver) }

    await expectError(.missingVerificationCode) { try await host.answer(id, "", resolver) }
    for text in ["12345", "1234567", "abcdef", "123456\0"] {
      await expectError(.invalidVerificationCode) { try await host.answer(id, text, resolver) }
    }
    // None of these used up a try.
    _ = try await host.answer(id, code, resolver)
  }

  @Test func `If sending fails, no new challenge is live, and the previous one stays as it was`() async throws {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    let (_, uid) = try await host.enrollPhone()
    let (resolver, id) = try await host.challenge(uid)
    let code = host.sender.lastCode
    host.sender.fails = true
    let error = await authError { try await host.challenge(uid) }
    #expect(error?.code == .internalError)
    #expect(error?.reason == .sender)
    #expect(log.last == "message_refused sender")
    let challenges = try await host.phoneDocument().challenges
    #expect(challenges.map { $0.answer != nil }.sorted { $0 && !$1 } == [true, false])
    _ = try await host.answer(id, code, resolver)
  }

  @Test func `A message sent during an overwrite is void`() async throws {
    let host = try await Host()
    let user = try await host.signIn()
    let session = try await user.multiFactor.session()
    host.sender.meanwhile.withLock { work in
      work = { try await host.auth.admin.overwriteFactors(of: "u1", with: []) }
    }
    let id = try await host.phones.verifyPhoneNumber("+15105551234", multiFactorSession: session)
    // The host retains its sender, which retains this closure.
    host.sender.meanwhile.withLock { $0 = nil }
    await expectError(.userTokenExpired) { try await enroll(host, user, id, host.sender.lastCode) }
    let again = try await host.signIn()
    await expectError(.invalidVerificationCode) { try await enroll(host, again, id, host.sender.lastCode) }
  }

  @Test func `A code sent to a number signs in by no other one that has its factor's name since`() async throws {
    let (host, user, uid) = try await Host.withPhone()
    _ = try await host.enrollTOTP(as: user)
    let (resolver, id) = try await host.challenge(uid)
    try await host.auth.admin.removeFactor(uid, of: "u1")
    try await host.auth.admin.importFactor(.phone(number: "+15105550000", uid: uid), for: "u1")
    await expectError(.invalidVerificationCode) { try await host.answer(id, host.sender.lastCode, resolver) }
  }

  @Test func `A message's code is read in any script and spelling`() async throws {
    let (host, _, uid) = try await Host.withPhone()
    let (resolver, id) = try await host.challenge(uid)
    let wide = host.sender.lastCode.unicodeScalars.map { scalar in
      String(Unicode.Scalar(scalar.value - 0x30 + 0xFF10) ?? scalar)
    }
    _ = try await host.answer(id, " " + wide.joined(separator: "-"), resolver)
  }

  @Test func `Wrong codes from messages count as failures of the phone, and lock it`() async throws {
    let (host, _, uid) = try await Host.withPhone()
    let (resolver, id) = try await host.challenge(uid)
    for _ in 0..<4 {
      _ = await errorCode { try await host.answer(id, otherCode(than: host.sender.lastCode), resolver) }
    }
    let error = await authError { try await host.answer(id, host.sender.lastCode, resolver) }
    #expect(error?.code == .tooManyRequests)
    #expect(error?.retryAfter == host.clock.now.addingTimeInterval(1))
    host.clock.advance(by: 1)
    _ = try await host.answer(id, host.sender.lastCode, resolver)
    #expect(try await host.auth.admin.user("u1").factors[0].consecutiveFailures == 0)
  }

  @Test func `A session from before a revocation is sent nothing`() async throws {
    let (host, user, _) = try await Host.withPhone()
    let session = try await user.multiFactor.session()
    let resolver = try await host.resolver()
    let hint = try #require(resolver.hints.first)
    try await host.auth.admin.revokeHandles(of: "u1")
    let sent = host.sender.messages.count
    await expectError(.userTokenExpired) {
      try await host.phones.verifyPhoneNumber("+15105559999", multiFactorSession: session)
    }
    await expectError(.userTokenExpired) {
      try await host.phones.verifyPhoneNumber(with: hint, multiFactorSession: resolver.session)
    }
    #expect(host.sender.messages.count == sent)
  }

  @Test func `A hint that is not a phone, or another user's, is sent nothing`() async throws {
    let (host, user, _, app) = try await Host.withApp()
    _ = try await host.enrollPhone(as: user)
    _ = try await host.enrollPhone("+15105550000", Host.bob)
    let resolver = try await host.resolver()
    let sent = host.sender.messages.count
    let appHint = try #require(resolver.hints.first { $0.uid == app })
    let bobHint = try #require(try await host.resolver(Host.bob).hints.first)
    await expectError(.missingMultiFactorInfo) {
      try await host.phones.verifyPhoneNumber(with: appHint, multiFactorSession: resolver.session)
    }
    await expectError(.multiFactorInfoNotFound) {
      try await host.phones.verifyPhoneNumber(with: bobHint, multiFactorSession: resolver.session)
    }
    #expect(host.sender.messages.count == sent)
  }
}
