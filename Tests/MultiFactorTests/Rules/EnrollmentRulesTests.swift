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
  func `Some first factors neither enroll a second factor nor sign in a user who has one`(
    first: FirstFactor
  ) async throws {
    let host = try await Host()
    let user = try await host.signIn(firstFactor: first)
    await expectError(.unsupportedFirstFactor) { try await user.multiFactor.session() }
    _ = try await host.enrollTOTP()
    let error = await authError { try await host.auth.signIn(Host.alice, firstFactor: first) }
    #expect(error?.code == .unsupportedFirstFactor)
    #expect(error?.resolver == nil)
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

  @Test func `Neither a token, a later secret, nor a reload prolongs an enrollment session`() async throws {
    let host = try await Host()
    let user = try await host.signIn()
    let session = try await user.multiFactor.session()
    let end = host.clock.now.addingTimeInterval(600)
    host.clock.advance(by: 599)
    try await user.reload()
    let restored = try host.auth.session(from: session.token())
    for session in [session, restored] {
      let secret = try await TOTPMultiFactorGenerator.generateSecret(with: session)
      #expect(secret.enrollmentCompletionDeadline == end)
      #expect(try host.auth.secret(from: secret.token()).enrollmentCompletionDeadline == end)
    }
    let last = try await TOTPMultiFactorGenerator.generateSecret(with: session)
    host.clock.advance(by: 1)
    await expectError(.sessionExpired) { try await TOTPMultiFactorGenerator.generateSecret(with: session) }
    let again = try await host.signIn()
    await expectError(.sessionExpired) {
      try await again.multiFactor.enroll(with: host.assertion(last), displayName: nil)
    }
  }
}
