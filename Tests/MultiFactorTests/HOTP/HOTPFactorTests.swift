import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor

/// HOTP factors: hardware tokens. (Which codes they accept is in `FactorRecordTests/EveryRun` and in `Model`.)
@Suite struct HOTPFactorTests {
  @Test func `A token enrolls with a code of the look-ahead, and signs in with the next`() async throws {
    let host = try await Host()
    let user = try await host.signIn()
    let made = try await HOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
    let secret = try host.auth.secret(from: made.token())
    let token = try HOTP(secret: OTPSecret(base32: made.sharedSecretKey()))
    for (counter, end) in [(11, .invalidVerificationCode), (10, nil)] as [(UInt64, AuthError.Code?)] {
      let code = try token.code(counter: counter).description
      let assertion = HOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: code)
      await expectError(end) { try await user.multiFactor.enroll(with: assertion, displayName: "Token") }
    }
    #expect(user.claims.secondFactor == HOTPMultiFactorID)
    let uid = try #require(user.claims.secondFactorIdentifier)
    let next = try token.code(counter: 11).description
    #expect(try await host.resolve(hotp: uid, codes: [next]).user.claims.secondFactor == HOTPMultiFactorID)
  }

  @Test func `A TOTP secret is not enrolled as a HOTP secret, and vice versa`() async throws {
    let host = try await Host()
    let user = try await host.signIn()
    let app = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
    let token = try await HOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
    for assertion in [
      HOTPMultiFactorGenerator.assertionForEnrollment(with: app, oneTimePassword: "123456"),
      TOTPMultiFactorGenerator.assertionForEnrollment(with: token, oneTimePassword: "123456"),
    ] {
      await expectError(.invalidMultiFactorSession) {
        try await user.multiFactor.enroll(with: assertion, displayName: nil)
      }
    }
  }

  @Test func `A TOTP assertion is refused for a HOTP token, and vice versa`() async throws {
    let (host, user, key, app) = try await Host.withApp()
    let token = try await host.auth.admin.importFactor(.hotp(secret: .vector), for: user.uid)
    await expectError(.multiFactorInfoNotFound) { try await host.resolve(token, code: "755224") }
    let code = try host.code(of: key, stepsAhead: 1)
    await expectError(.multiFactorInfoNotFound) { try await host.resolve(hotp: app, codes: [code]) }
    #expect(try await host.account().failures == 0)
  }
}
