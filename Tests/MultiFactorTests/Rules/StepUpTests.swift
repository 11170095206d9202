import Foundation
import MultiFactor
import MultiFactorOperations
import MultiFactorPhone
import Testing

/// `requireSecondFactor(within:)`, called before a sensitive operation.
@Suite struct StepUpTests {
  @Test func `A step-up's resolver asks only for the second factor and gives a handle that passes`() async throws {
    let host = try await Host()
    let start = host.clock.now
    let (user, key, uid) = try await host.enrollTOTP()
    host.clock.advance(by: 900)
    let error = await authError { try await user.requireSecondFactor(within: .seconds(300)) }
    #expect(error?.code == .secondFactorRequired)
    let token = try #require(error?.resolver).token()
    let resolver = try await host.auth.resolver(from: token)
    #expect(resolver.hints.map(\.uid) == [uid])
    let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: uid, oneTimePassword: try host.code(of: key))
    let renewed = try await resolver.resolveSignIn(with: assertion).user
    try await renewed.requireSecondFactor(within: .seconds(300))
    #expect(renewed.claims.authenticationDate == start)
    // The original handle stays as it was.
    await expectError(.secondFactorRequired) { try await user.requireSecondFactor(within: .seconds(300)) }
    // A second factor does not satisfy what needs a recent first factor.
    await expectError(.requiresRecentLogin) { try await renewed.multiFactor.session() }
  }

  @Test func `A first factor that does not allow a second one is not stepped up`() async throws {
    let host = try await Host()
    let user = try await host.signIn(firstFactor: .phone)
    try await host.auth.admin.importFactor(.phone(number: "+15105551234"), for: "u1")
    await expectError(.unsupportedFirstFactor) { try await user.requireSecondFactor(within: .seconds(300)) }
  }

  @Test func `If store and clock are set back together, a verification from the future is not recent`() async throws {
    let (host, _, key, uid) = try await Host.withApp()
    let document = try await host.store.document(.user("u1"))
    host.clock.advance(by: 100)
    let user = try await host.resolve(uid, code: host.code(of: key)).user
    try await host.store.update(.user("u1")) { $0 = document }
    host.clock.advance(by: -39)
    try await user.requireSecondFactor(within: .seconds(60))
    host.clock.advance(by: -61)
    await expectError(.secondFactorRequired) { try await user.requireSecondFactor(within: .seconds(60)) }
  }

  @Test(arguments: [Duration.nanoseconds(-1), .seconds(Int64.min)])
  func `A negative interval always requires the second factor`(interval: Duration) async throws {
    let (_, user, _, _) = try await Host.withApp()
    await expectError(.secondFactorRequired) { try await user.requireSecondFactor(within: interval) }
  }
}
