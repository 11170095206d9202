import FactorRecord
import MultiFactorOperations
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// What a configuration switches off.
@Suite struct DisabledTests {
  /// A server with another configuration on the store and keys of a host.
  private func server(_ host: Host, _ configuration: MultiFactorConfiguration) async throws -> Host {
    try await Host(store: host.store, keyring: host.keyring, configuration: configuration)
  }

  @Test func `If multi-factor authentication is disabled, no factor is required, enrolled or used`() async throws {
    let (host, user, key, uid) = try await Host.withApp()
    let recoveryCodes = try await user.multiFactor.generateRecoveryCodes().codes
    let (userToken, resolverToken) = (try user.token(), try await host.resolver().token())
    let off = try await server(host, MultiFactorConfiguration(state: .disabled, providerConfigs: [.totp(), .phone()]))

    let signedIn = try await off.signIn()
    #expect(signedIn.claims.secondFactor == nil)
    await expectError(.operationNotAllowed) { try await signedIn.multiFactor.session() }
    await expectError(.operationNotAllowed) { try await signedIn.multiFactor.generateRecoveryCodes() }

    // Nor by an earlier handle or resolver.
    let handle = try await off.auth.user(from: userToken)
    await expectError(.operationNotAllowed) { try await handle.requireSecondFactor(within: .seconds(300)) }
    let resolver = try await off.auth.resolver(from: resolverToken)
    host.clock.advance(by: 30)
    let byApp = TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: uid, oneTimePassword: try host.code(of: key))
    let byCode = RecoveryCodeMultiFactorGenerator.assertionForSignIn(recoveryCode: recoveryCodes[0])
    await expectError(.operationNotAllowed) { try await resolver.resolveSignIn(with: byApp) }
    await expectError(.operationNotAllowed) { try await resolver.resolveSignIn(with: byCode) }
    #expect(try await host.account("u1").recoveryCodes.count == 10)

    // Enabled again, everything is as before.
    _ = try await host.resolve(uid, code: host.code(of: key))
  }

  @Test func `If a provider is disabled, its factors are still required but cannot be used`() async throws {
    let (host, user, _, app) = try await Host.withApp()
    let (_, phone) = try await host.enrollPhone(as: user)
    let noPhone = try await server(
      host, MultiFactorConfiguration(providerConfigs: [.totp(), .phone(state: .disabled)]))
    #expect(try await noPhone.resolver().hints.map(\.uid) == [app])
    let resolver = try await noPhone.resolver()
    let hint = try #require(try await host.resolver().hints.first { $0.uid == phone })
    await expectError(.operationNotAllowed) {
      try await noPhone.phones.verifyPhoneNumber(with: hint, multiFactorSession: resolver.session)
    }
    // Nor does its earlier verification count.
    let verified = try await noPhone.auth.user(from: user.token())
    await expectError(.secondFactorRequired) { try await verified.requireSecondFactor(within: .seconds(300)) }

    // With the only provider disabled, a sign-in does not fall back to the first factor.
    let none = try await server(
      host, MultiFactorConfiguration(providerConfigs: [.hotp(state: .disabled)], allowsRecoveryCodes: false))
    #expect(try await none.resolver().hints.isEmpty)
    _ = try await user.multiFactor.generateRecoveryCodes()
    #expect(try await host.resolver().hasRecoveryCodes)
    #expect(try await !none.resolver().hasRecoveryCodes)
  }

  @Test func `An enrollment begun before its provider was disabled fails`() async throws {
    let host = try await Host()
    let user = try await host.signIn()
    let session = try await user.multiFactor.session()
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: session)
    let code = try host.code(of: secret.sharedSecretKey())
    let app = TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: code)
    let id = try await host.phones.verifyPhoneNumber("+15105551234", multiFactorSession: session)
    let phone = PhoneMultiFactorGenerator.assertion(
      with: host.phones.credential(withVerificationID: id, verificationCode: host.sender.lastCode))
    for (assertion, left) in try [(app, MultiFactorConfiguration.ProviderConfig.phone()), (phone, .totp())] {
      let off = try await server(host, MultiFactorConfiguration(providerConfigs: [left]))
      let same = try await off.auth.user(from: user.token())
      await expectError(.operationNotAllowed) { try await same.multiFactor.enroll(with: assertion, displayName: nil) }
    }
  }

  @Test func `The strict preset accepts no phones, no counter-based tokens, and at most one interval`() async throws {
    let host = try await Host(configuration: .strict)
    let user = try await host.signIn()
    let session = try await user.multiFactor.session()
    await expectError(.operationNotAllowed) {
      try await host.phones.verifyPhoneNumber("+15105551234", multiFactorSession: session)
    }
    await expectError(.operationNotAllowed) { try await HOTPMultiFactorGenerator.generateSecret(with: session) }

    let (_, key, uid) = try await host.enrollTOTP(as: user)
    _ = try await user.multiFactor.generateRecoveryCodes()
    host.clock.advance(by: 300)
    for (steps, end) in [(-2, .invalidVerificationCode), (2, .invalidVerificationCode), (-1, nil), (1, nil)]
      as [(Int, AuthError.Code?)]
    {
      await expectError(end) { try await host.resolve(uid, code: host.code(of: key, stepsAhead: steps)) }
    }

    // Imported ones are kept but cannot be used.
    let token = try await host.auth.admin.importFactor(.hotp(secret: .vector), for: "u1")
    await expectError(.operationNotAllowed) { try await host.resolve(hotp: token, codes: ["755224"]) }
    await expectError(.operationNotAllowed) { try await host.resolve(hotp: token, codes: ["755224", "287082"]) }
    #expect(try await host.resolver().hints.map(\.uid) == [uid])
  }

  @Test func `If second factors are mandatory, a user without one can sign in to enroll`() async throws {
    let host = try await Host(
      configuration: MultiFactorConfiguration(state: .mandatory, providerConfigs: [.totp(), .phone()]))
    let user = try await host.signIn()
    await expectError(.multiFactorInfoNotFound) { try await user.requireSecondFactor(within: .seconds(300)) }
    let (_, key, uid) = try await host.enrollTOTP(as: user)
    await expectError(.secondFactorRequired) { try await host.signIn() }
    host.clock.advance(by: 30)
    _ = try await host.resolve(uid, code: host.code(of: key))
  }
}
