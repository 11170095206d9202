import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor

/// HOTP factors: hardware tokens.
@Suite struct HOTPFactorTests {
  /// A code of the test vectors' secret.
  private func code(_ counter: UInt64) throws -> String { try HOTP(secret: .vector).code(counter: counter).description }

  private func codes(_ counters: ClosedRange<UInt64>) throws -> [String] { try counters.map(code) }

  /// A user with a token at a given counter.
  private func host(counter: UInt64 = 0, log: RecordingLog = RecordingLog()) async throws -> (Host, String) {
    let host = try await Host(log: log.append)
    return (
      host,
      try await host.auth.admin.importFactor(
        .hotp(secret: .vector, lastAcceptedCounter: counter == 0 ? nil : counter - 1), for: "u1")
    )
  }

  private func last(_ host: Host) async throws -> UInt64? {
    try await host.account("u1").factors[0].lastAccepted
  }

  @Test(arguments: [0, 10] as [UInt64])
  func `A token enrolls with its first code, or one of the next few`(counter: UInt64) async throws {
    let host = try await Host()
    let user = try await host.signIn()
    let made = try await HOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
    let secret = try host.auth.hotpSecret(from: made.token())
    #expect(secret.sharedSecretKey() == made.sharedSecretKey())
    let token = try HOTP(secret: OTPSecret(base32: secret.sharedSecretKey()))
    func enroll(_ counter: UInt64) async throws {
      let assertion = HOTPMultiFactorGenerator.assertionForEnrollment(
        with: secret, oneTimePassword: try token.code(counter: counter).description)
      try await user.multiFactor.enroll(with: assertion, displayName: "Token")
    }
    await expectError(.invalidVerificationCode) { try await enroll(11) }
    try await enroll(counter)
    #expect(user.claims.secondFactor == HOTPMultiFactorID)
    #expect(try await last(host) == counter)

    let uid = try #require(user.claims.secondFactorIdentifier)
    let used = try token.code(counter: counter).description
    await expectError(.invalidVerificationCode) { try await host.resolve(hotp: uid, codes: [used]) }
    let next = try token.code(counter: counter + 1).description
    #expect(try await host.resolve(hotp: uid, codes: [next]).user.claims.secondFactor == HOTPMultiFactorID)
  }

  @Test func `A TOTP secret is refused as a HOTP secret, and vice versa`() async throws {
    let host = try await Host()
    let session = try await host.signIn().multiFactor.session()
    let totp = try await TOTPMultiFactorGenerator.generateSecret(with: session)
    let hotp = try await HOTPMultiFactorGenerator.generateSecret(with: session)
    await expectError(.invalidMultiFactorSession) { try host.auth.hotpSecret(from: totp.token()) }
    await expectError(.invalidMultiFactorSession) { try host.auth.totpSecret(from: hotp.token()) }
    await expectError(.missingMultiFactorSession) { try host.auth.hotpSecret(from: "") }
  }

  @Test func `A token whose button was pressed a few extra times is found by the look-ahead`() async throws {
    let (host, uid) = try await host(counter: 5)
    let tooFar = try code(16)
    await expectError(.invalidVerificationCode) { try await host.resolve(hotp: uid, codes: [tooFar]) }
    _ = try await host.resolve(hotp: uid, codes: [code(15)])
    #expect(try await last(host) == 15)
    _ = try await host.resolve(hotp: uid, codes: [code(16)])
  }

  @Test func `An earlier counter is refused, and reported as replayed`() async throws {
    let log = RecordingLog()
    let (host, uid) = try await host(counter: 20, log: log)
    _ = try await host.resolve(hotp: uid, codes: [code(25)])
    for counter in [25, 24, 20, 19, 15] as [UInt64] {
      host.clock.advance(by: 60)
      let old = try code(counter)
      await expectError(.invalidVerificationCode) { try await host.resolve(hotp: uid, codes: [old]) }
      #expect(log.last == "code_refused replayed", "\(counter)")
    }
    host.clock.advance(by: 60)
    let never = try code(1000)
    await expectError(.invalidVerificationCode) { try await host.resolve(hotp: uid, codes: [never]) }
    #expect(log.last == "code_refused wrong")
    #expect(try await last(host) == 25)
  }

  @Test func `Resynchronization needs two or three consecutive codes, ahead and within its range`() async throws {
    let (host, uid) = try await host(counter: 10)
    let far = try codes(112...113)
    let refused: [[String]] = try [
      [code(90), code(92)], [code(91), code(90)], [code(90), code(91), code(93)], codes(5...6), codes(9...10), far,
      codes(90...93), [code(90), "abcdef"], [code(90), "1234567"],
    ]
    for codes in refused {
      host.clock.advance(by: 4000)
      await expectError(.invalidVerificationCode) { try await host.resolve(hotp: uid, codes: codes) }
    }
    let single = HOTPMultiFactorGenerator.assertionForResynchronization(
      withEnrollmentID: uid, oneTimePasswords: [try code(10)])
    host.clock.advance(by: 4000)
    let resolver = try await host.resolver()
    await expectError(.invalidVerificationCode) { try await resolver.resolveSignIn(with: single) }
    let none = HOTPMultiFactorGenerator.assertionForResynchronization(withEnrollmentID: uid, oneTimePasswords: [])
    await expectError(.missingVerificationCode) { try await resolver.resolveSignIn(with: none) }
    #expect(try await last(host) == 9)
    host.clock.advance(by: 4000)
    _ = try await host.resolve(hotp: uid, codes: codes(109...110))
  }

  @Test func `Resynchronization counts as an attempt, and its codes are accepted at most once`() async throws {
    let (host, uid) = try await host()
    let wrong = [try code(50), try code(50)]
    for _ in 0..<4 {
      await expectError(.invalidVerificationCode) { try await host.resolve(hotp: uid, codes: wrong) }
    }
    let right = try codes(50...51)
    await expectError(.tooManyRequests) { try await host.resolve(hotp: uid, codes: right) }
    host.clock.advance(by: 1)
    _ = try await host.resolve(hotp: uid, codes: right)
    await expectError(.invalidVerificationCode) { try await host.resolve(hotp: uid, codes: right) }
    for code in right {
      await expectError(.invalidVerificationCode) { try await host.resolve(hotp: uid, codes: [code]) }
    }
  }

  @Test func `A TOTP assertion is refused for a HOTP token`() async throws {
    let (host, uid) = try await host()
    let right = try code(0)
    await expectError(.multiFactorInfoNotFound) { try await host.resolve(uid, code: right) }
    #expect(try await last(host) == nil)
  }
}
