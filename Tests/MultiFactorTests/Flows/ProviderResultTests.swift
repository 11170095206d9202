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

  @Test func `The provider's result is returned at once, and after a second factor on another server`() async throws {
    let host = try await Host()
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

  @Test func `A result of the maximum size fits into a token, and one byte more is refused`() async throws {
    let principal = Principal(
      id: String(repeating: "i", count: 256), email: String(repeating: "e", count: 256), isEmailVerified: true)
    let host = try await Host()
    _ = try await host.enrollTOTP(principal)
    func signIn(_ info: AdditionalUserInfo) async -> AuthError? {
      let first = FirstFactor(providerID: String(repeating: "p", count: 256))
      return await authError { try await host.auth.signIn(principal, firstFactor: first, additionalUserInfo: info) }
    }
    let profile = Dictionary(uniqueKeysWithValues: (0..<255).map { (String($0, radix: 36), "v") })
    let rest = 2048 - 10 - profile.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 2 }
    let longest = AdditionalUserInfo(
      providerID: "p", profile: profile, username: String(repeating: "u", count: rest))
    let resolver = try #require(await signIn(longest)?.resolver)
    let restored = try await host.auth.resolver(from: resolver.token()).session.signIn
    let result = AuthDataResult(user: User(restored, in: host.auth.context), payload: restored.payload)
    #expect(result.additionalUserInfo == longest)

    let longer = AdditionalUserInfo(
      providerID: "p", profile: profile, username: String(repeating: "u", count: rest + 1))
    let more = AdditionalUserInfo(providerID: "", profile: profile.merging(["new": ""]) { first, _ in first })
    for info in [longer, more] { #expect(await signIn(info)?.code == .invalidCredential) }
  }
}
