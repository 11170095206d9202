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
  func `A token enrols with its first code, or one of the next few`(counter: UInt64) async throws {
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
    #expect(await errorCode { try await enroll(11) } == .invalidVerificationCode)
    try await enroll(counter)
    #expect(user.claims.secondFactor == HOTPMultiFactorID)
    #expect(try await last(host) == counter)

    let uid = try #require(user.claims.secondFactorIdentifier)
    let used = try token.code(counter: counter).description
    #expect(await errorCode { try await host.resolve(hotp: uid, codes: [used]) } == .invalidVerificationCode)
    let next = try token.code(counter: counter + 1).description
    #expect(try await host.resolve(hotp: uid, codes: [next]).user.claims.secondFactor == HOTPMultiFactorID)
  }

  @Test func `A TOTP secret is refused as a HOTP secret, and the other way round`() async throws {
    let host = try await Host()
    let session = try await host.signIn().multiFactor.session()
    let totp = try await TOTPMultiFactorGenerator.generateSecret(with: session)
    let hotp = try await HOTPMultiFactorGenerator.generateSecret(with: session)
    #expect(await errorCode { try host.auth.hotpSecret(from: totp.token()) } == .invalidMultiFactorSession)
    #expect(await errorCode { try host.auth.totpSecret(from: hotp.token()) } == .invalidMultiFactorSession)
    #expect(await errorCode { try host.auth.hotpSecret(from: "") } == .missingMultiFactorSession)
  }

  @Test func `A token whose button was pressed a few times in vain is found ahead`() async throws {
    let (host, uid) = try await host(counter: 5)
    let tooFar = try code(16)
    #expect(await errorCode { try await host.resolve(hotp: uid, codes: [tooFar]) } == .invalidVerificationCode)
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
      #expect(await errorCode { try await host.resolve(hotp: uid, codes: [old]) } == .invalidVerificationCode)
      #expect(log.last == "code_refused replayed", "\(counter)")
    }
    host.clock.advance(by: 60)
    let never = try code(1000)
    #expect(await errorCode { try await host.resolve(hotp: uid, codes: [never]) } == .invalidVerificationCode)
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
      #expect(await errorCode { try await host.resolve(hotp: uid, codes: codes) } == .invalidVerificationCode)
    }
    let single = HOTPMultiFactorGenerator.assertionForResynchronization(
      withEnrollmentID: uid, oneTimePasswords: [try code(10)])
    host.clock.advance(by: 4000)
    let resolver = try await host.resolver()
    #expect(await errorCode { try await resolver.resolveSignIn(with: single) } == .invalidVerificationCode)
    let none = HOTPMultiFactorGenerator.assertionForResynchronization(withEnrollmentID: uid, oneTimePasswords: [])
    #expect(await errorCode { try await resolver.resolveSignIn(with: none) } == .missingVerificationCode)
    #expect(try await last(host) == 9)
    host.clock.advance(by: 4000)
    _ = try await host.resolve(hotp: uid, codes: codes(109...110))
  }

  @Test func `Resynchronization counts as an attempt, and its codes are accepted once`() async throws {
    let (host, uid) = try await host()
    let wrong = [try code(50), try code(50)]
    for _ in 0..<4 {
      #expect(await errorCode { try await host.resolve(hotp: uid, codes: wrong) } == .invalidVerificationCode)
    }
    let right = try codes(50...51)
    #expect(await errorCode { try await host.resolve(hotp: uid, codes: right) } == .tooManyRequests)
    host.clock.advance(by: 1)
    _ = try await host.resolve(hotp: uid, codes: right)
    #expect(await errorCode { try await host.resolve(hotp: uid, codes: right) } == .invalidVerificationCode)
    for code in right {
      #expect(await errorCode { try await host.resolve(hotp: uid, codes: [code]) } == .invalidVerificationCode)
    }
  }

  @Test func `A TOTP assertion is refused for a HOTP token`() async throws {
    let (host, uid) = try await host()
    let right = try code(0)
    #expect(await errorCode { try await host.resolve(uid, code: right) } == .multiFactorInfoNotFound)
    #expect(try await last(host) == nil)
  }
}
