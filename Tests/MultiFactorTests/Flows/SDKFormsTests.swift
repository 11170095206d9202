import Foundation
import MultiFactor
import MultiFactorFirebase
import MultiFactorPhone
import Testing

/// The SDK's Swift samples, word for word except for what the article "Differences from the SDK" names: how a sign-in
/// begins, and `await` before a user's factors.
@Suite struct SDKFormsTests {
  private let email = "alice@example.com"

  @Test func `An authenticator app: enroll, sign in, unenroll`() async throws {
    let host = try await Host()
    let currentUser = try await host.signIn()

    // Enroll.
    let mfaSession = try await currentUser.multiFactor.session()
    let totpSecret = try await TOTPMultiFactorGenerator.generateSecret(with: mfaSession)
    let otpAuthUri = totpSecret.generateQRCodeURL(
      withAccountName: currentUser.email ?? "default account", issuer: "Your App Name")
    totpSecret.openInOTPApp(withQRCodeURL: otpAuthUri)
    var opened: String?
    totpSecret.openInOTPApp(withQRCodeURL: otpAuthUri) { opened = $0 }
    #expect(opened == otpAuthUri)
    let secret: String = totpSecret.sharedSecretKey()
    let deadline: Date = totpSecret.enrollmentCompletionDeadline
    #expect(deadline == host.clock.now.addingTimeInterval(600))
    var verificationCode = try host.wrongCode(for: secret)
    for isRight in [false, true] {
      let multiFactorAssertion = TOTPMultiFactorGenerator.assertionForEnrollment(
        with: totpSecret, oneTimePassword: verificationCode)
      do {
        try await currentUser.multiFactor.enroll(with: multiFactorAssertion, displayName: "TOTP")
        #expect(isRight)
      } catch {
        // A wrong or expired one-time password: the app asks again.
        verificationCode = try host.code(of: secret)
      }
    }
    host.clock.advance(by: 30)

    // Sign in.
    var signedIn: User?
    do {
      _ = try await host.auth.signIn(Host.alice, firstFactor: .password)
      Issue.record("signed in without the second factor")
    } catch let error as AuthErrorCode where error.code == .secondFactorRequired {
      let mfaKey = AuthErrorUserInfoMultiFactorResolverKey
      guard let resolver = error.userInfo[mfaKey] as? MultiFactorResolver else { throw error }
      #expect(error.resolver?.uid == resolver.uid)
      let enrolledFactors = resolver.hints.map(\.displayName)
      #expect(enrolledFactors == ["TOTP"])
      let multiFactorInfo = resolver.hints[0]
      switch multiFactorInfo.factorID {
      case TotpMultiFactorID, TOTPMultiFactorID:
        let otpFromAuthenticator = try host.code(of: secret)
        let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
          withEnrollmentID: multiFactorInfo.uid, oneTimePassword: otpFromAuthenticator)
        let authResult = try await resolver.resolveSignIn(with: assertion)
        signedIn = authResult.user
      default: Issue.record("a factor of another kind")
      }
    }
    #expect(multiFactorIDs == ["totp", "totp", "totp", "phone", "phone"])

    // Unenroll.
    let user = try #require(signedIn)
    _ = try await host.enrollPhone(as: user)
    for selectedIndex in [1, 0] {
      let handle = selectedIndex == 1 ? user : try await self.signIn(host, secret)
      let multiFactorInfo = try await handle.multiFactor.enrolledFactors[selectedIndex]
      do {
        try await handle.multiFactor.unenroll(with: multiFactorInfo)
        #expect(selectedIndex == 0)
      } catch let error as AuthErrorCode where error.code == .invalidUserToken {
        #expect(selectedIndex == 1)
      }
    }
    #expect(try await host.signIn().multiFactor.enrolledFactors.isEmpty)
  }

  private let multiFactorIDs = [
    TOTPMultiFactorID, TotpMultiFactorID, PhoneMultiFactorInfo.TOTPMultiFactorID, PhoneMultiFactorID,
    PhoneMultiFactorInfo.PhoneMultiFactorID,
  ]

  private func signIn(_ host: Host, _ secret: String) async throws -> User {
    host.clock.advance(by: 30)
    let uid = try await host.resolver().hints[0].uid
    return try await host.resolve(uid, code: host.code(of: secret)).user
  }

  @Test func `A phone: enroll, sign in by an NSError's resolver`() async throws {
    let host = try await Host()
    let user: User? = try await host.signIn()
    let phoneNumber = "+15105551234"

    // Enroll.
    let session = try await user?.multiFactor.session()
    let verificationId = try await PhoneAuthProvider.provider().verifyPhoneNumber(
      phoneNumber, uiDelegate: nil, multiFactorSession: session)
    let credential = PhoneAuthProvider.provider().credential(
      withVerificationID: verificationId, verificationCode: host.sender.lastCode)
    let assertion = PhoneMultiFactorGenerator.assertion(with: credential)
    try await user?.multiFactor.enroll(with: assertion, displayName: "Mobile")
    let enrolled = try await user?.multiFactor.enrolledFactors.first as? PhoneMultiFactorInfo
    #expect(enrolled?.phoneNumber == phoneNumber)

    // Sign in.
    do {
      _ = try await host.auth.signIn(Host.alice, firstFactor: .password)
      Issue.record("signed in without the second factor")
    } catch {
      let authError = error as NSError
      #expect(authError.domain == AuthErrorDomain)
      #expect(authError.code == AuthErrorCode.secondFactorRequired.rawValue)
      #expect(AuthErrorCode.Code(rawValue: authError.code) == .secondFactorRequired)
      let found = authError.userInfo[AuthErrorUserInfoMultiFactorResolverKey] as? MultiFactorResolver
      let resolver = try #require(found)
      var selectedHint: PhoneMultiFactorInfo?
      for tmpFactorInfo in resolver.hints where tmpFactorInfo.displayName == "Mobile" {
        selectedHint = tmpFactorInfo as? PhoneMultiFactorInfo
      }
      let hint = try #require(selectedHint)
      #expect(hint.phoneNumber == "+*******1234")
      let verificationID = try await PhoneAuthProvider.provider().verifyPhoneNumber(
        with: hint, uiDelegate: nil, multiFactorSession: resolver.session)
      let credential = PhoneAuthProvider.provider().credential(
        withVerificationID: verificationID, verificationCode: host.sender.lastCode)
      let assertion = PhoneMultiFactorGenerator.assertion(with: credential)
      let authResult = try await resolver.resolveSignIn(with: assertion)
      #expect(authResult.user.claims.secondFactor == PhoneMultiFactorInfo.PhoneMultiFactorID)
    }
  }

  @Test
  func `A provider without a MultiFactorAuth works with the sessions of any, and without a session reports an error`()
    async throws
  {
    for _ in 0..<2 {
      let host = try await Host()
      let session = try await host.signIn().multiFactor.session()
      _ = try await PhoneAuthProvider.provider().verifyPhoneNumber("+15105551234", multiFactorSession: session)
      #expect(host.sender.messages.count == 1)
      let other = try await Host()
      await expectError(.invalidMultiFactorSession) {
        try await other.phones.verifyPhoneNumber("+15105551234", multiFactorSession: session)
      }
    }
    let none: MultiFactorSession? = nil
    let provider = PhoneAuthProvider.provider()
    await expectError(.missingMultiFactorSession) {
      try await provider.verifyPhoneNumber("+15105551234", uiDelegate: nil, multiFactorSession: none)
    }
    let (host, _, _) = try await Host.withPhone()
    let hint = try await host.resolver().hints[0]
    await expectError(.missingMultiFactorSession) {
      try await provider.verifyPhoneNumber(with: hint, uiDelegate: nil, multiFactorSession: none)
    }
  }

  @Test func `An error is an NSError with only its code and a description`() async throws {
    let host = try await Host()
    let error: any Error = try #require(
      await authError { try await host.signIn(Principal(id: "")) })
    let authError = error as NSError
    #expect(authError.code == AuthErrorCode.Code.userMismatch.rawValue)
    #expect(authError.localizedDescription == "userMismatch (17024)")
    #expect(authError.userInfo[AuthErrorUserInfoMultiFactorResolverKey] == nil)
  }
}
