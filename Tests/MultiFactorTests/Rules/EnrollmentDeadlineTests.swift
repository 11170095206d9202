import Foundation
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// A session that begins with a recent first factor allows enrollment for ten minutes.
@Suite struct EnrollmentDeadlineTests {
  /// A user with a factor whose first factor is just still recent, and an enrollment begun at that moment.
  private func begin(_ host: Host) async throws -> (user: User, secret: TOTPSecret) {
    let (user, _, _) = try await host.enrollTOTP()
    host.clock.advance(by: 300)
    return (user, try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session()))
  }

  @Test(arguments: [1, 301, 599.999])
  func `A right code enrolls until the deadline, although the first factor is no longer recent`(
    seconds: TimeInterval
  ) async throws {
    let host = try await Host()
    let (user, secret) = try await begin(host)
    #expect(secret.enrollmentCompletionDeadline == host.clock.now.addingTimeInterval(600))
    host.clock.advance(by: seconds)
    await expectError(.requiresRecentLogin) { try await user.multiFactor.session() }
    try await user.multiFactor.enroll(with: host.assertion(secret), displayName: nil)
  }

  @Test func `At the deadline enrollment fails, even if the first factor is recent`() async throws {
    let host = try await Host()
    let user = try await host.signIn()
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
    let token = try secret.token()
    host.clock.advance(by: 600)
    let again = try await host.signIn()
    #expect(secret.enrollmentCompletionDeadline == host.clock.now)
    await expectError(.sessionExpired) {
      try await again.multiFactor.enroll(with: host.assertion(secret), displayName: nil)
    }
    await expectError(.sessionExpired) { try host.auth.totpSecret(from: token) }
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
      #expect(try host.auth.totpSecret(from: secret.token()).enrollmentCompletionDeadline == end)
    }
    host.clock.advance(by: 1)
    await expectError(.sessionExpired) { try await TOTPMultiFactorGenerator.generateSecret(with: session) }
  }

  @Test func `A message requested near the end of a session is valid only until that end`() async throws {
    for seconds in [0.999, 1] {
      let host = try await Host()
      let user = try await host.signIn()
      let session = try await user.multiFactor.session()
      host.clock.advance(by: 599)
      let id = try await host.phones.verifyPhoneNumber("+15105551234", multiFactorSession: session)
      let credential = host.phones.credential(withVerificationID: id, verificationCode: host.sender.lastCode)
      let assertion = PhoneMultiFactorGenerator.assertion(with: credential)
      host.clock.advance(by: seconds)
      let refusal = await errorCode { try await user.multiFactor.enroll(with: assertion, displayName: nil) }
      #expect(refusal == (seconds < 1 ? nil : .invalidVerificationCode))
    }
  }

  @Test func `A message sent before a revocation enrolls nothing after it`() async throws {
    let host = try await Host()
    let session = try await host.signIn().multiFactor.session()
    let id = try await host.phones.verifyPhoneNumber("+15105551234", multiFactorSession: session)
    let credential = host.phones.credential(withVerificationID: id, verificationCode: host.sender.lastCode)
    try await host.auth.admin.revokeHandles(of: "u1")
    let later = try await host.signIn()
    let assertion = PhoneMultiFactorGenerator.assertion(with: credential)
    await expectError(.invalidVerificationCode) {
      try await later.multiFactor.enroll(with: assertion, displayName: nil)
    }
  }

  @Test func `Completing an enrollment requires the second factor that the user has by then`() async throws {
    let host = try await Host()
    let (user, secret) = try await begin(host)
    // Only the first factor, of a recent sign-in.
    let pending = User(
      SignIn(
        principal: Host.alice, firstFactor: .password, firstFactorDate: host.clock.now, generation: 0,
        expiry: .distantFuture, end: .distantFuture), in: host.auth.context)
    await expectError(.requiresRecentLogin) {
      try await pending.multiFactor.enroll(with: host.assertion(secret), displayName: nil)
    }
    try await user.multiFactor.enroll(with: host.assertion(secret), displayName: nil)
  }
}
