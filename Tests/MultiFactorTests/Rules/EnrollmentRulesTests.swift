import MultiFactorOperations
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// Which users may enroll which factors.
@Suite struct EnrollmentRulesTests {
  @Test(arguments: [
    Principal(id: "u1", email: "alice@example.com", isEmailVerified: false), Principal(id: "u1", email: nil),
    Principal(id: "u1", email: nil, isEmailVerified: true),
  ])
  func `Without a verified email address nothing is enrolled`(principal: Principal) async throws {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    let user = try await host.signIn(principal)
    await expectError(.unverifiedEmail) { try await user.multiFactor.session() }
    #expect(log.last == "enrollment_refused unverified_email")
  }

  @Test func `Enrollment is refused if the address is no longer verified at the last step`() async throws {
    let host = try await Host()
    let verified = try await host.signIn()
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: verified.multiFactor.session())
    let unverified = try await host.signIn(Principal(id: "u1", email: "new@example.com"))
    let assertion = try host.assertion(secret)
    await expectError(.unverifiedEmail) { try await unverified.multiFactor.enroll(with: assertion, displayName: nil) }
    #expect(try await host.account("u1").factors.isEmpty)
  }

  static let alone: [FirstFactor] = [
    .phone, .anonymous, .customToken, .gameCenter, FirstFactor(providerID: "Phone"),
    FirstFactor(providerID: "ANONYMOUS"), FirstFactor(providerID: "GC.Apple.com"),
  ]

  @Test
  func `A provider's name is compared without regard to case, and its claim is as the host wrote it`() async throws {
    let (upper, lower) = (FirstFactor(providerID: "Google.com"), FirstFactor(providerID: "google.com"))
    #expect(upper == lower && Set([upper, lower]).count == 1)
    #expect(lower != FirstFactor(providerID: "google.co") && FirstFactor(providerID: "emaillink") == .emailLink)
    #expect(try await Host().signIn(firstFactor: upper).claims.signInProvider == "Google.com")
  }

  @Test(arguments: alone)
  func `Some first factors do not allow the enrollment of a second`(first: FirstFactor) async throws {
    let host = try await Host()
    let user = try await host.signIn(firstFactor: first)
    await expectError(.unsupportedFirstFactor) { try await user.multiFactor.session() }
  }

  @Test(arguments: alone)
  func `Some first factors do not sign in a user who has a second factor`(first: FirstFactor) async throws {
    let host = try await Host()
    _ = try await host.enrollTOTP()
    let error = await authError { try await host.auth.signIn(Host.alice, firstFactor: first) }
    #expect(error?.code == .unsupportedFirstFactor)
    #expect(error?.resolver == nil)
  }

  @Test(arguments: [.password, .emailLink, FirstFactor(providerID: "google.com"), FirstFactor(providerID: "saml.x")])
  func `Other first factors allow a second factor`(first: FirstFactor) async throws {
    let host = try await Host()
    let (_, key, uid) = try await host.enrollTOTP(as: host.signIn(firstFactor: first))
    host.clock.advance(by: 30)
    let error = await authError { try await host.auth.signIn(Host.alice, firstFactor: first) }
    let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: uid, oneTimePassword: try host.code(of: key))
    let claims = try await error?.resolver?.resolveSignIn(with: assertion).user.claims
    #expect(claims?.signInProvider == first.providerID)
    #expect(claims?.secondFactor == TOTPMultiFactorID)
  }

  @Test func `A user can have five factors of any kinds, and no sixth`() async throws {
    let host = try await Host()
    let user = try await host.enrollTOTP().user
    for number in 1...3 { _ = try await host.enrollPhone("+1510555000\(number)", as: user) }
    _ = try await host.enrollTOTP(as: user)
    #expect(try await user.multiFactor.enrolledFactors.count == 5)

    let session = try await user.multiFactor.session()
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: session)
    let assertion = try host.assertion(secret)
    await expectError(.maximumSecondFactorCountExceeded) {
      try await user.multiFactor.enroll(with: assertion, displayName: nil)
    }
    let sent = host.sender.messages.count
    await expectError(.maximumSecondFactorCountExceeded) {
      try await host.phones.verifyPhoneNumber("+15105550009", multiFactorSession: session)
    }
    #expect(host.sender.messages.count == sent)
    #expect(try await user.multiFactor.enrolledFactors.count == 5)
  }

  @Test func `A user can enroll a phone number once, and another user can enroll it too`() async throws {
    let (host, user, _) = try await Host.withPhone()
    let session = try await user.multiFactor.session()
    await expectError(.secondFactorAlreadyEnrolled) {
      try await host.phones.verifyPhoneNumber("+15105551234", multiFactorSession: session)
    }
    #expect(host.sender.messages.count == 1)
    _ = try await host.enrollPhone("+15105551234", Host.bob)
  }

  @Test func `A number that the user has enrolled meanwhile is not enrolled again`() async throws {
    let host = try await Host()
    let user = try await host.signIn()
    let id = try await host.phones.verifyPhoneNumber("+15105551234", multiFactorSession: user.multiFactor.session())
    let code = host.sender.lastCode
    // With a verified factor, so that the handle may still change factors.
    _ = try await host.enrollTOTP(as: user)
    try await host.auth.admin.importFactor(.phone(number: "+15105551234"), for: "u1")
    let assertion = PhoneMultiFactorGenerator.assertion(
      with: host.phones.credential(withVerificationID: id, verificationCode: code))
    await expectError(.secondFactorAlreadyEnrolled) {
      try await user.multiFactor.enroll(with: assertion, displayName: nil)
    }
  }

  @Test(arguments: ["15105551234", "+0510555123", "+1", "+1 510 555 1234", "+1510555123４", "+12345678901234567"])
  func `A number that is not E.164 is sent nothing`(number: String) async throws {
    let host = try await Host()
    let session = try await host.signIn().multiFactor.session()
    await expectError(.invalidPhoneNumber) {
      try await host.phones.verifyPhoneNumber(number, multiFactorSession: session)
    }
    await expectError(.missingPhoneNumber) { try await host.phones.verifyPhoneNumber("", multiFactorSession: session) }
    #expect(host.sender.messages.isEmpty)
  }

  @Test func `An assertion for sign-in does not enroll, and one for enrollment does not sign in`() async throws {
    let host = try await Host()
    let user = try await host.signIn()
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
    let code = try host.code(of: secret.sharedSecretKey())
    let forSignIn = TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: "x", oneTimePassword: code)
    await expectError(.missingMultiFactorSession) {
      try await user.multiFactor.enroll(with: forSignIn, displayName: nil)
    }
    let (_, _, _) = try await host.enrollTOTP(as: user)
    let forEnrollment = TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: code)
    let resolver = try await host.resolver()
    await expectError(.missingMultiFactorInfo) { try await resolver.resolveSignIn(with: forEnrollment) }
  }
}
