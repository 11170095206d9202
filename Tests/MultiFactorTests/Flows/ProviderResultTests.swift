import Foundation
import MultiFactorFirebase
import Testing

@testable import MultiFactor

/// What the host passes in with the first factor is returned with the user, even if a second factor comes between.
@Suite struct ProviderResultTests {
  private let info = AdditionalUserInfo(
    providerID: "google.com", profile: ["given_name": "Alice", "locale": "de"], username: "alice", isNewUser: true)
  private let credential = AuthCredential(
    provider: "google.com", idToken: "id-token", accessToken: "access-token", secret: "oauth-secret")
  private let google = FirstFactor(providerID: "google.com")

  private func resolver(_ host: Host, _ info: AdditionalUserInfo?, _ credential: AuthCredential?) async throws
    -> MultiFactorResolver
  {
    let error = await authError {
      try await host.auth.signIn(
        Host.alice, firstFactor: google, additionalUserInfo: info, credential: credential)
    }
    #expect(error?.code == .secondFactorRequired)
    return try #require(error?.resolver)
  }

  @Test(arguments: StoreKind.available)
  func `The provider's result is returned at once, and after a second factor on another server`(on kind: StoreKind)
    async throws
  {
    let host = try await Host(kind)
    let result = try await host.auth.signIn(
      Host.alice, firstFactor: google, additionalUserInfo: info, credential: credential)
    #expect(result.additionalUserInfo == info)
    #expect(result.credential == credential)

    let (_, key, uid) = try await host.enrollTOTP(as: result.user)
    for (info, credential) in [(info, credential), (info, nil), (nil, credential), (nil, nil)] {
      host.clock.advance(by: 30)
      let token = try await resolver(host, info, credential).token()
      let resolver = try await host.server().resolver(from: token)
      let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
        withEnrollmentID: uid, oneTimePassword: try host.code(of: key))
      let result = try await resolver.resolveSignIn(with: assertion)
      #expect(result.additionalUserInfo == info)
      #expect(result.credential == credential)
      // The handle no longer has it.
      #expect(result.user.signIn.payload.isEmpty)
    }
  }

  @Test(arguments: StoreKind.available)
  func `No description and no token shows the provider's result`(on kind: StoreKind) async throws {
    let host = try await Host(kind)
    let result = try await host.auth.signIn(
      Host.alice, firstFactor: google, additionalUserInfo: info, credential: credential)
    _ = try await host.enrollTOTP(as: result.user)
    let resolver = try await resolver(host, info, credential)
    let values: [Any] = [
      result, info, credential, resolver, resolver.session, resolver.session.signIn,
      AuthError(.secondFactorRequired, resolver: resolver),
      AuthError(.secondFactorRequired, resolver: resolver).userInfo,
      AuthError(.secondFactorRequired, resolver: resolver) as NSError, try resolver.token(),
    ]
    for value in values {
      var text = String(describing: value) + String(reflecting: value)
      dump(value, to: &text)
      for secret in ["id-token", "access-token", "oauth-secret", "Alice"] {
        #expect(!text.contains(secret), "\(type(of: value)) shows it")
      }
    }
  }

  @Test(arguments: StoreKind.available)
  func `A result of the maximum size fits into a token, and one byte more is refused, with and without a second factor`(
    on kind: StoreKind
  )
    async throws
  {
    let principal = Principal(
      id: String(repeating: "i", count: 256), email: String(repeating: "e", count: 256), isEmailVerified: true)
    let first = FirstFactor(providerID: String(repeating: "p", count: 256))
    func signIn(_ host: Host, _ info: AdditionalUserInfo?, _ credential: AuthCredential?) async -> AuthError? {
      await authError {
        try await host.auth.signIn(
          principal, firstFactor: first, additionalUserInfo: info, credential: credential)
      }
    }
    let entries = (0..<255).map { (String(UnicodeScalar(UInt8(0x21 + $0 % 90))) + "\($0 / 90)", "v") }
    let profile = Dictionary(entries) { first, _ in first }
    let profileBytes = profile.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 2 }
    #expect(profile.count == 255)
    let host = try await Host(kind)
    for isEnrolled in [false, true] {
      if isEnrolled { _ = try await host.enrollTOTP(principal) }
      let expected: AuthError.Code? = isEnrolled ? .secondFactorRequired : nil
      for excess in [0, 1] {
        let text = String(repeating: "t", count: 2048 - 9 + excess)
        let error = await signIn(host, nil, AuthCredential(provider: "p", idToken: text))
        #expect(error?.code == (excess == 0 ? expected : .invalidCredential))
        if let resolver = error?.resolver { _ = try await host.auth.resolver(from: resolver.token()) }

        let rest = String(repeating: "u", count: 2048 - profileBytes - 10 + excess)
        let info = AdditionalUserInfo(providerID: "p", profile: profile, username: rest)
        let other = await signIn(host, info, nil)
        #expect(other?.code == (excess == 0 ? expected : .invalidCredential))
        if let resolver = other?.resolver {
          let signIn = try await host.auth.resolver(from: resolver.token()).session.signIn
          #expect(
            AuthDataResult(user: User(signIn, in: host.auth.context), payload: signIn.payload).additionalUserInfo
              == info)
        }
      }
      let many = Dictionary(uniqueKeysWithValues: (0..<256).map { ("\($0)", "") })
      #expect(await signIn(host, AdditionalUserInfo(providerID: "", profile: many), nil)?.code == .invalidCredential)
    }
  }
}
