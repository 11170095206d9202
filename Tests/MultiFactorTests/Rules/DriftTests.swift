import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor

/// Clock drift, learned from successes up to a limit, and only if the configuration says so.
@Suite struct DriftTests {
  private func host(driftLimit: Int) async throws -> (Host, String) {
    let host = try await Host(
      configuration: MultiFactorConfiguration(providerConfigs: [.totp(adjacentIntervals: 2, driftLimit: driftLimit)]))
    return (host, try await host.auth.admin.importFactor(.totp(secret: .vector), for: "u1"))
  }

  /// Signs in with the code of an app this many steps ahead, each time later.
  private func signIn(_ host: Host, _ uid: String, ahead steps: Int) async -> AuthError.Code? {
    host.clock.advance(by: 3600)
    return await errorCode {
      try await host.resolve(uid, code: host.code(of: OTPSecret.vector.base32String(), stepsAhead: steps))
    }
  }

  private func drift(_ host: Host) async throws -> Int { try await host.account("u1").factors[0].drift.learned }

  @Test(arguments: [1, -1])
  func `The window follows a drifting clock up to the configured limit`(direction: Int) async throws {
    let (host, uid) = try await host(driftLimit: 4)
    #expect(await signIn(host, uid, ahead: 2 * direction) == nil)
    #expect(try await drift(host) == 2 * direction)
    #expect(await signIn(host, uid, ahead: 4 * direction) == nil)
    #expect(try await drift(host) == 4 * direction)
    // Two steps beyond the limit are still in the window, but nothing more is learned.
    #expect(await signIn(host, uid, ahead: 6 * direction) == nil)
    #expect(try await drift(host) == 4 * direction)
    #expect(await signIn(host, uid, ahead: 7 * direction) == .invalidVerificationCode)
    // The code of the true time is now outside the window.
    #expect(await signIn(host, uid, ahead: 0) == .invalidVerificationCode)
    #expect(await signIn(host, uid, ahead: 3 * direction) == nil)
    #expect(try await drift(host) == 3 * direction)
  }

  @Test func `By default no drift is learned`() async throws {
    let (host, uid) = try await host(driftLimit: 0)
    #expect(MultiFactorConfiguration.strict.policy.driftLimit == 0)
    #expect(try MultiFactorConfiguration(providerConfigs: [.totp()]).policy.driftLimit == 0)
    #expect(await signIn(host, uid, ahead: 2) == nil)
    #expect(try await drift(host) == 0)
    #expect(await signIn(host, uid, ahead: 3) == .invalidVerificationCode)
  }

  @Test func `Nothing is learned from a failure`() async throws {
    let (host, uid) = try await host(driftLimit: 10)
    #expect(await signIn(host, uid, ahead: 1) == nil)
    for steps in [4, -2, 10, 100] {
      #expect(await signIn(host, uid, ahead: steps) == .invalidVerificationCode)
      #expect(try await drift(host) == 1)
    }
    #expect(await signIn(host, uid, ahead: 0) == nil)
    #expect(try await drift(host) == 0)
  }

  @Test func `Nothing is learned from a replay, with or without a learned drift`() async throws {
    let (host, uid) = try await host(driftLimit: 10)
    #expect(await signIn(host, uid, ahead: 2) == nil)
    host.clock.advance(by: -30)
    let used = try host.code(of: OTPSecret.vector.base32String(), stepsAhead: 3)
    await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: used) }
    #expect(try await drift(host) == 2)
  }

  @Test func `A learned drift is cut to a lowered limit`() async throws {
    let (host, uid) = try await host(driftLimit: 10)
    for steps in [2, 4, 6] { #expect(await signIn(host, uid, ahead: steps) == nil) }
    let lower = try await Host(
      store: host.store, keyring: host.keyring,
      configuration: MultiFactorConfiguration(providerConfigs: [.totp(adjacentIntervals: 2, driftLimit: 1)]))
    lower.clock.now = host.clock.now
    #expect(await signIn(lower, uid, ahead: 6) == .invalidVerificationCode)
    #expect(await signIn(lower, uid, ahead: 3) == nil)
    #expect(try await drift(lower) == 1)
  }
}
