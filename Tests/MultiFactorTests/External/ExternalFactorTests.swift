import Foundation
import Keyring
import MultiFactorOperations
import Synchronization
import Testing

@testable import MultiFactor

/// A device that approves sign-ins: what a host needs to write for a factor of its own.
final class Approval: ExternalFactor {
  let factorID: String
  /// The devices' answers, by what was asked: each is good once.
  private let answers = Mutex<[String: (device: String, response: String)]>([:])
  private let asked = Mutex(0)

  init(_ factorID: String = "approval") { self.factorID = factorID }

  var askedCount: Int { asked.withLock(\.self) }

  /// Asks a device to approve something.
  func ask(_ device: String, about challenge: String, expecting response: String) {
    answers.withLock { $0[challenge] = (device, response) }
  }

  /// A challenge names the factor that it is for, or `new`.
  func factorUID(of answer: ExternalAnswer) throws(AuthError) -> String {
    guard let uid = answer.challenge.split(separator: ":").first else { throw AuthError(.missingVerificationID) }
    return String(uid)
  }

  func verify(_ answer: ExternalAnswer, of factor: FactorInfo) throws -> ExternalVerdict {
    try check(answer, factor.details)
  }

  func enroll(_ answer: ExternalAnswer) throws -> ExternalVerdict {
    guard answer.challenge.hasPrefix("new:") else { throw AuthError(.invalidVerificationID) }
    return try check(answer, nil)
  }

  private func check(_ answer: ExternalAnswer, _ details: [UInt8]?) throws -> ExternalVerdict {
    asked.withLock { $0 += 1 }
    if answer.response == "unreachable" { throw CocoaError(.fileNoSuchFile) }
    guard let (device, response) = answers.withLock({ $0[answer.challenge] }), response == answer.response else {
      return .refused(.wrong)
    }
    if let details, details != Array(device.utf8) { return .refused(.mismatch) }
    answers.withLock { $0[answer.challenge] = nil }
    return .accepted(details: Array(device.utf8))
  }
}

/// A factor that a test has brought: what the protocol promises it, and what the host gets for it.
@Suite struct ExternalFactorTests {
  private let approval = Approval()

  private func host(
    state: MultiFactorConfiguration.State = .enabled,
    store: (any FactorStore)? = nil, keyring: Keyring? = nil, log: RecordingLog = RecordingLog()
  ) async throws -> Host {
    try await Host(
      store: store, keyring: keyring,
      configuration: MultiFactorConfiguration(providerConfigs: [.totp(), .external("approval", state: state)]),
      externalFactors: [approval], log: log.append)
  }

  private func assertion(_ challenge: String, _ response: String = "yes") -> MultiFactorAssertion {
    MultiFactorAssertion(factorID: "approval", challenge: challenge, response: response)
  }

  /// A user with an approving device, just enrolled, and the factor's name.
  private func enroll(_ host: Host, as user: User? = nil) async throws -> (user: User, uid: String) {
    let user = if let user { user } else { try await host.signIn() }
    approval.ask("device", about: "new:1", expecting: "yes")
    try await user.multiFactor.enroll(with: assertion("new:1"), displayName: "Watch")
    return (user, try #require(user.claims.secondFactorIdentifier))
  }

  @Test func `An external factor is enrolled, listed, used and removed like any other`() async throws {
    let log = RecordingLog()
    let host = try await host(log: log)
    let (user, uid) = try await enroll(host)
    #expect(user.claims.secondFactor == "approval")
    let enrolled = try await user.multiFactor.enrolledFactors
    #expect(enrolled.map(\.factorID) == ["approval"] && enrolled.map(\.displayName) == ["Watch"])
    let resolver = try await host.resolver()
    #expect((resolver.hints.first as? FactorInfo)?.details == [])
    approval.ask("device", about: "\(uid):2", expecting: "yes")
    let result = try await resolver.resolveSignIn(with: assertion("\(uid):2"))
    #expect(result.user.claims.secondFactorIdentifier == uid)
    #expect(log.last == "signed_in")
    try await result.user.multiFactor.unenroll(with: #require(enrolled.first))
    #expect(try await host.account().factors.isEmpty)
  }

  @Test(arguments: [900, 901] as [TimeInterval])
  func `A device is enrolled only as long as a session for that could last`(age: TimeInterval) async throws {
    let host = try await host()
    let user = try await host.signIn()
    host.clock.advance(by: age)
    await expectError(age > 900 ? .requiresRecentLogin : nil) { _ = try await enroll(host, as: user) }
    #expect(approval.askedCount == (age > 900 ? 0 : 1))
  }

  @Test func `Each answer is counted before the service is asked, and wrong answers lock the factor`() async throws {
    let host = try await host()
    let (_, uid) = try await enroll(host)
    for count in 1...4 {
      await expectError(.invalidVerificationCode) {
        try await host.resolver().resolveSignIn(with: assertion("\(uid):2", "no"))
      }
      let account = try await host.account()
      #expect(account.factors[0].attempts.failures == UInt64(count) && account.failures == UInt64(count))
    }
    let asked = approval.askedCount
    await expectError(.tooManyRequests) { try await host.resolver().resolveSignIn(with: assertion("\(uid):2", "no")) }
    #expect(approval.askedCount == asked)
    host.clock.advance(by: 1)
    approval.ask("device", about: "\(uid):3", expecting: "yes")
    _ = try await host.resolver().resolveSignIn(with: assertion("\(uid):3"))
    #expect(try await host.account().failures == 0)
  }

  @Test func `If its service cannot be reached, nothing is accepted and the attempt stays counted`() async throws {
    let log = RecordingLog()
    let host = try await host(log: log)
    let (_, uid) = try await enroll(host)
    let resolver = try await host.resolver()
    let error = await authError { try await resolver.resolveSignIn(with: assertion("\(uid):2", "unreachable")) }
    #expect(error?.code == .internalError && error?.reason == .externalFactor)
    #expect(log.last == "code_refused external_factor")
    #expect(try await host.account().factors[0].attempts.failures == 1)
  }

  @Test func `A session, an enrollment or a factor of another kind is not asked about`() async throws {
    let log = RecordingLog()
    let host = try await host(log: log)
    let (user, _, totp) = try await host.enrollTOTP()
    let (_, uid) = try await enroll(host, as: user)
    let asked = approval.askedCount
    for (challenge, code) in [
      ("new:2", .multiFactorInfoNotFound), ("", .missingVerificationID), ("\(totp):2", .multiFactorInfoNotFound),
      ("nobody:2", .multiFactorInfoNotFound), ("\u{1}:2", .multiFactorInfoNotFound),
    ] as [(String, AuthError.Code)] {
      approval.ask("device", about: challenge, expecting: "yes")
      #expect(
        await errorCode { try await host.resolver().resolveSignIn(with: assertion(challenge)) } == code, "\(challenge)")
    }
    await expectError(.invalidVerificationID) {
      try await user.multiFactor.enroll(with: assertion("\(uid):2"), displayName: nil)
    }
    // Nor for a user who may not enroll.
    let unverified = try await host.signIn(Principal(id: "u2"))
    approval.ask("device", about: "new:2", expecting: "yes")
    await expectError(.unverifiedEmail) {
      try await unverified.multiFactor.enroll(with: assertion("new:2"), displayName: nil)
    }
    #expect(approval.askedCount == asked)
    // The same device a second time.
    approval.ask("device", about: "new:3", expecting: "yes")
    await expectError(.secondFactorAlreadyEnrolled) {
      try await user.multiFactor.enroll(with: assertion("new:3"), displayName: nil)
    }
    approval.ask(String(repeating: "d", count: 2049), about: "new:4", expecting: "yes")
    await expectError(.internalError) {
      try await user.multiFactor.enroll(with: assertion("new:4"), displayName: nil)
    }
    #expect(log.last == "enrollment_refused external_factor")
  }

  @Test func `An external factor that is disabled, or unknown to this server, is still required`() async throws {
    let host = try await host()
    let (_, uid) = try await enroll(host)
    let disabled = try await self.host(state: .disabled, store: host.store, keyring: host.keyring)
    let without = try await Host(
      store: host.store, keyring: host.keyring,
      configuration: MultiFactorConfiguration(providerConfigs: [.totp()]), externalFactors: [])
    approval.ask("device", about: "\(uid):2", expecting: "yes")
    for server in [disabled, without] {
      let resolver = try await server.resolver()
      #expect(resolver.hints.isEmpty)
      await expectError(.operationNotAllowed) { try await resolver.resolveSignIn(with: assertion("\(uid):2")) }
    }
    let shown = try await without.auth.admin.user(Host.alice.id).factors[0].info
    #expect((shown as? FactorInfo)?.details == [])
    await #expect(throws: ConfigurationError(.incomplete, "externalFactors")) {
      try await Host(
        store: host.store, keyring: host.keyring,
        configuration: MultiFactorConfiguration(providerConfigs: [.external("approval")]), externalFactors: [])
    }
  }

  @Test func `An administrator can import, unlock and export an external factor`() async throws {
    let host = try await host()
    let factor = try FactorImport.external("approval", details: Array("device".utf8), displayName: nil, uid: "w")
    try await host.auth.admin.importFactor(factor, for: Host.alice.id)
    _ = await errorCode { try await host.resolver().resolveSignIn(with: assertion("w:2", "no")) }
    try await host.auth.admin.unlock("w", of: Host.alice.id)
    #expect(try await host.account().factors[0].attempts.failures == 0)
    approval.ask("device", about: "w:3", expecting: "yes")
    _ = try await host.resolver().resolveSignIn(with: assertion("w:3"))
  }

  @Test(arguments: ["", "totp", "hotp", "recovery", "remembered", "Push", "a b", String(repeating: "a", count: 33)])
  func `An external factor needs a valid name that is not taken`(name: String) async throws {
    await #expect(throws: ConfigurationError.outOfRange("externalFactors[0]")) {
      try await MultiFactorAuth(
        configuration: .strict, store: InMemoryFactorStore(), keyring: Keyring(),
        externalFactors: [Approval(name)])
    }
  }
}
