import FactorRecord
import Foundation
import MultiFactorFirebase
import OTP
import Testing

@testable import Keyring
@testable import MultiFactor
@testable import MultiFactorOperations
@testable import MultiFactorPhone

/// No way of printing a value shows a secret, whether the value is printed by itself or inside another.
@Suite struct RedactionTests {
  /// A value inside others.
  private struct Wrapper<Value> {
    let inner: Value
  }

  private static func expectSilence(_ values: [(String, Any)], _ search: SecretSearch) {
    for (name, value) in values {
      let shown = search.shown(by: value).union(search.shown(by: Wrapper(inner: [value])))
        .union(search.shown(by: ["key": Optional(value) as Any]))
      #expect(shown.isEmpty, "\(name) shows \(shown)")
    }
  }

  @Test func `Values of an app's verification show no secret`() {
    var search = SecretSearch()
    search.add(phoneNumber: "+15105551234")
    search.add("app-token", "app credential")
    RedactionTests.expectSilence(
      [
        ("pushReceipt", AppCredential.pushReceipt("app-token", secret: "app-token")),
        ("recaptcha", AppCredential.recaptcha("app-token")),
        (
          "AppVerificationRequest",
          AppVerificationRequest(
            userID: "u1", phoneNumber: "+15105551234", clientAddress: nil, credential: .recaptcha("app-token"))
        ),
        (
          "SMSVerification",
          SMSVerification(phoneNumber: "+15105551234", verificationID: "app-token", reference: "app-token")
        ),
      ], search)
  }

  @Test func `Public values show no secret`() async throws {
    let host = try await Host(
      configuration: MultiFactorConfiguration(
        providerConfigs: [.totp(), .phone(testPhoneNumbers: ["+15550001111": "987654"])]))
    var search = SecretSearch()
    for number in ["+15550001111", "+15105551234"] { search.add(phoneNumber: number) }
    search.add(code: "987654")

    let user = try await host.signIn()
    let session = try await user.multiFactor.session()
    let totp = try await TOTPMultiFactorGenerator.generateSecret(with: session)
    let hotp = try await HOTPMultiFactorGenerator.generateSecret(with: session)
    try search.add(key: totp.sharedSecretKey())
    try search.add(key: hotp.sharedSecretKey())
    let appCode = try host.code(of: totp.sharedSecretKey())
    search.add(code: appCode)
    let enrollment = TOTPMultiFactorGenerator.assertionForEnrollment(with: totp, oneTimePassword: appCode)
    let result = try await user.multiFactor.enroll(with: enrollment, displayName: "App")
    let (_, phone) = try await host.enrollPhone(as: user)
    let codes = try await user.multiFactor.generateRecoveryCodes()
    for code in codes.codes { try search.add(recoveryCode: code) }
    let (resolver, id) = try await host.challenge(phone)
    search.add(code: host.sender.lastCode)
    search.add(id, "token")
    for token in try [user.token(), session.token(), totp.token(), hotp.token(), resolver.token()] {
      search.add(token, "token")
    }
    let credential = host.phones.credential(withVerificationID: id, verificationCode: host.sender.lastCode)
    search.add("app-token", "app credential")

    let info = AdditionalUserInfo(providerID: "google.com", profile: ["name": "app-token"], isNewUser: true)
    let provider = AuthCredential(
      provider: "google.com", idToken: "app-token", accessToken: "app-token", secret: "app-token")
    let error = try #require(
      await authError {
        try await host.auth.signIn(
          Host.alice, firstFactor: .password, additionalUserInfo: info, credential: provider)
      })

    RedactionTests.expectSilence(
      [
        ("AdditionalUserInfo", info), ("AuthCredential", provider), ("the provider's result", error),
        ("userInfo", error.userInfo), ("NSError", error as NSError),
        ("SMSMessage", try #require(host.sender.messages.last)),
        ("PhoneAuthCredential", credential),
        ("TOTPSecret", totp), ("HOTP secret", hotp), ("RecoveryCodes", codes), ("enrollment", enrollment),
        ("phone assertion", PhoneMultiFactorGenerator.assertion(with: credential)),
        (
          "sign-in assertion",
          TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: "x", oneTimePassword: appCode)
        ),
        (
          "resynchronization",
          HOTPMultiFactorGenerator.assertionForResynchronization(
            withEnrollmentID: "x", oneTimePasswords: [appCode, appCode])
        ),
        ("recovery assertion", RecoveryCodeMultiFactorGenerator.assertionForSignIn(recoveryCode: codes.codes[0])),
        ("User", user), ("AuthDataResult", result), ("MultiFactorUser", user.multiFactor), ("session", session),
        ("resolver", resolver), ("hints", resolver.hints), ("claims", user.claims),
        ("AuthError", AuthError(.secondFactorRequired, resolver: resolver)),
        ("MultiFactorAuth", host.auth), ("admin", host.auth.admin),
        ("provider", host.phones), ("configuration", host.auth.configuration), ("keyring", host.keyring),
        ("store", host.store), ("account", try await host.account("u1")),
        ("administered", try await host.auth.admin.users()), ("reset", try await host.auth.admin.user("u1").factors),
      ], search)
  }

  @Test func `Internal values show no secret`() async throws {
    let secret = try OTPSecret.vector
    var search = SecretSearch()
    try search.add(key: secret.base32String())
    search.add(phoneNumber: "+15105551234")
    let key = try OTPSecret.random32
    try search.add(key: key.base32String())
    let keyringKey = try Keyring.Key(name: "k", secret: key)
    let keyring = try Keyring(activeKey: keyringKey, hashKey: key)
    let opened = try keyring.open(
      keyring.seal(SecretBytes(copying: "+15105551234".utf8), for: .document, boundTo: []), for: .document, boundTo: [])
    let factor = FactorSecret(isTimeBased: true, secret: secret)
    var account = Account()
    account.factors = [
      Factor(uid: "f", content: .secret(factor), displayName: nil, enrollmentDate: .distantPast),
      Factor(
        uid: "p", content: .external(.phone, details: Array("+15105551234".utf8)), displayName: nil,
        enrollmentDate: .distantPast),
    ]
    RedactionTests.expectSilence(
      [
        ("import", try FactorImport.hotp(secret: secret)),
        ("phone import", try FactorImport.phone(number: "+15105551234")),
        ("export", account.factors.compactMap(FactorExport.init)), ("FactorSecret", factor), ("Account", account),
        ("its bytes", account.encoded()), ("Key", keyringKey),
        ("Keyring", keyring), ("Opened", opened),
        ("PhoneNumber", try PhoneNumber("+15105551234")),
        ("FactorInfo", FactorInfo(account.factors[1])),
        (
          "ExternalAnswer",
          ExternalAnswer(
            challenge: "+15105551234", response: "+15105551234",
            session: try await Host().signIn().multiFactor.session())
        ),
        ("document", try KeyringDocument(active: "k", keys: [keyringKey], hashKey: keyringKey.bytes)),
      ], search)
  }

  @Test func `The search finds a type without redaction`() throws {
    struct Plain {
      let code: String
    }
    var search = SecretSearch()
    search.add(code: "987654")
    #expect(search.shown(by: Plain(code: "987654")) == ["code"])
    #expect(search.shown(by: Wrapper(inner: Optional(Plain(code: "987654")))) == ["code"])
    #expect(search.shown(by: Plain(code: "a987654b")).isEmpty)
  }
}

extension OTPSecret {
  /// Random bytes, which no vector has.
  fileprivate static var random32: OTPSecret {
    get throws { try OTPSecret(bytes: (0..<32).map { _ in UInt8.random(in: .min ... .max) }) }
  }
}
