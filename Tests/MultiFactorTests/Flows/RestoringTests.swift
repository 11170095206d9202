import Foundation
import OTP
import Testing

@testable import MultiFactor

/// A web server performs each step in another request, with only a token in between.
@Suite struct RestoringTests {
  /// The four kinds of token, each with the call that restores its value.
  private func tokens(
    of host: Host
  ) async throws -> [(name: String, token: String, restore: (String) async throws -> Void, invalid: AuthError.Code)] {
    let user = try await host.signIn()
    let session = try await user.multiFactor.session()
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: session)
    let userToken = try user.token()
    _ = try await host.enrollTOTP(Host.bob)
    let resolver = try await host.resolver(Host.bob)
    return [
      ("user", userToken, { _ = try await host.auth.user(from: $0) }, .invalidUserToken),
      ("session", try session.token(), { _ = try host.auth.session(from: $0) }, .invalidMultiFactorSession),
      ("secret", try secret.token(), { _ = try host.auth.secret(from: $0) }, .invalidMultiFactorSession),
      ("resolver", try resolver.token(), { _ = try await host.auth.resolver(from: $0) }, .invalidMultiFactorSession),
    ]
  }

  @Test func `A token of one kind is refused as one of another`() async throws {
    let host = try await Host()
    let tokens = try await tokens(of: host)
    for (name, _, restore, invalid) in tokens {
      for (otherName, token, _, _) in tokens where otherName != name {
        #expect(await errorCode { try await restore(token) } == invalid, "\(otherName) as \(name)")
      }
    }
  }

  @Test func `A token expires at its time and not before`() async throws {
    let host = try await Host()
    let start = host.clock.now
    for (name, token, restore, _) in try await tokens(of: host) {
      let lifetime: TimeInterval = name == "user" ? 3600 : 600
      host.clock.now = start.addingTimeInterval(lifetime - 1)
      #expect(await errorCode { try await restore(token) } == nil, "\(name)")
      host.clock.now = start.addingTimeInterval(lifetime)
      let expected: AuthError.Code = name == "user" ? .userTokenExpired : .sessionExpired
      #expect(await errorCode { try await restore(token) } == expected, "\(name)")
    }
  }
}
