import MultiFactorBrowsers
import Testing

@testable import MultiFactor

// Sign-ins from browsers.
extension Host {
  /// A host that remembers browsers, for a day unless stated otherwise.
  static func remembering(
    _ kind: StoreKind = .memory, lifetime: Duration = .seconds(86_400), log: RecordingLog = RecordingLog()
  ) async throws -> Host {
    try await Host(kind, browserLifetime: lifetime, log: log.append)
  }

  /// The handle of a sign-in from a browser; `nil` if it needs a second factor.
  func signIn(from token: String?, _ principal: Principal = alice, at address: String? = nil) async throws -> User? {
    let begun = try await browsers.beginSignIn(
      principal, firstFactor: .password, payload: [7], token: token, address: address)
    guard case .signedIn(let result) = begun else { return nil }
    #expect(result.payload == [7])
    return result.user
  }
}
