import Foundation
import MultiFactor
import MultiFactorPhone
import OTP
import Testing

/// The complete documented flows, through the public API only.
@Suite struct SampleFlowTests {
  /// Reads a code from an authenticator app, as a person would.
  private func appCode(_ uri: String, stepsAhead: Int64, _ clock: TestClock) throws -> String {
    let totp = try TOTP(OTPAuthURI(uri))
    return try totp.code(at: Int64(clock.now.timeIntervalSince1970) + 30 * stepsAhead).description
  }

  /// Reads a code from a phone, as a person would.
  private actor Phone: SMSSender {
    private(set) var code = ""
    func send(_ message: SMSMessage) async throws { code = message.code }
  }

  @Test(arguments: StoreKind.available)
  func `Sign in, enroll an app and a phone, sign in with either, unenroll`(on kind: StoreKind) async throws {
    let phone = Phone()
    let clock = TestClock()
    let (store, keyring) = (try TestStore(kind), try Keyring())
    try await MultiFactorAuth.createStore(store, keyring: keyring)
    let auth = try await MultiFactorAuth(
      configuration: .init(providerConfigs: [.totp(adjacentIntervals: 5), .phone()]),
      store: store,
      keyring: keyring,
      externalFactors: [PhoneFactor(sender: phone)],
      clock: { clock.now })
    let principal = Principal(id: "u1", email: "alice@example.com", isEmailVerified: true)

    // The host has verified the first factor. With no second factor enrolled, this signs in.
    let result = try await auth.signIn(principal, firstFactor: .password)
    let currentUser = result.user
    #expect(currentUser.claims.secondFactor == nil)

    // Enroll TOTP.
    let session = try await currentUser.multiFactor.session()
    let totpSecret = try await TOTPMultiFactorGenerator.generateSecret(with: session)
    let key = totpSecret.sharedSecretKey()
    let uri = totpSecret.generateQRCodeURL(withAccountName: currentUser.email ?? "account", issuer: "Example")
    #expect(uri == "otpauth://totp/Example:alice%40example.com?secret=\(key)&issuer=Example")
    let code = try appCode(uri, stepsAhead: -1, clock)
    let assertion = TOTPMultiFactorGenerator.assertionForEnrollment(with: totpSecret, oneTimePassword: code)
    try await currentUser.multiFactor.enroll(with: assertion, displayName: "Phone app")
    #expect(currentUser.claims.secondFactor == TOTPMultiFactorID)

    // Enroll a phone.
    let provider = PhoneAuthProvider.provider(auth: auth)
    let verificationID = try await provider.verifyPhoneNumber("+15105551234", multiFactorSession: session)
    let credential = provider.credential(withVerificationID: verificationID, verificationCode: await phone.code)
    try await currentUser.multiFactor.enroll(
      with: PhoneMultiFactorGenerator.assertion(with: credential), displayName: "Mobile")

    // Sign in with a second factor.
    for selectedIndex in [0, 1] {
      do {
        _ = try await auth.signIn(principal, firstFactor: .password)
        Issue.record("signed in without the second factor")
      } catch let error as AuthError where error.code == .secondFactorRequired {
        let resolver = try #require(error.resolver)
        #expect(resolver.hints.map(\.displayName) == ["Phone app", "Mobile"])
        let hint = resolver.hints[selectedIndex]
        switch hint.factorID {
        case TOTPMultiFactorID:
          let code = try appCode(uri, stepsAhead: 1, clock)
          let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
            withEnrollmentID: hint.uid, oneTimePassword: code)
          let result = try await resolver.resolveSignIn(with: assertion)
          #expect(result.user.claims.secondFactorIdentifier == hint.uid)
        case PhoneMultiFactorID:
          #expect((hint as? PhoneMultiFactorInfo)?.phoneNumber == "+*******1234")
          let verificationID = try await provider.verifyPhoneNumber(
            with: hint, multiFactorSession: resolver.session)
          let credential = provider.credential(
            withVerificationID: verificationID, verificationCode: await phone.code)
          let result = try await resolver.resolveSignIn(with: PhoneMultiFactorGenerator.assertion(with: credential))
          #expect(result.user.claims.secondFactor == PhoneMultiFactorID)
        default: Issue.record("a factor of another kind")
        }
      }
    }

    // Unenroll.
    try await currentUser.multiFactor.unenroll(with: currentUser.multiFactor.enrolledFactors[0])
    #expect(try await currentUser.multiFactor.enrolledFactors.map(\.displayName) == ["Mobile"])
  }
}
