import Foundation
import MultiFactor
import Testing

/// A WebAuthn library that believes each response with the passkey's key.
private struct BelievingVerifier: PasskeyVerifier {
  static func response(_ key: String, _ count: Int, _ challenge: [UInt8]) -> String { "\(key) \(count) \(challenge)" }

  func register(_ response: String, challenge: [UInt8]) -> Passkey? {
    let key = String(response.prefix { $0 != " " })
    guard response == Self.response(key, 0, challenge) else { return nil }
    return Passkey(id: Data("id of \(key)".utf8), publicKey: Data(key.utf8), signCount: 0)
  }

  func authenticate(_ response: String, challenge: [UInt8], with passkey: Passkey) -> UInt32? {
    let next = passkey.signCount + 1
    let key = String(decoding: passkey.publicKey, as: UTF8.self)
    return response == Self.response(key, Int(next), challenge) ? next : nil
  }
}

/// The example in PasskeyFactor.swift, as a host would use it.
@Suite struct PasskeyTests {
  private let clock = TestClock()
  private let passkeys: PasskeyFactor
  private let challenge: [UInt8] = Array(0..<32)

  init() { passkeys = PasskeyFactor(verifier: BelievingVerifier()) { [clock] in clock.now } }

  private func host(_ kind: StoreKind = .memory) async throws -> Host {
    try await Host(
      kind, configuration: MultiFactorConfiguration(providerConfigs: [.totp(), .external("passkey")]),
      externalFactors: [passkeys])
  }

  private func assertion(_ name: String, _ response: String) -> MultiFactorAssertion {
    MultiFactorAssertion(factorID: "passkey", challenge: name, response: response)
  }

  /// A user with a passkey beside an app.
  private func enroll(_ host: Host) async throws -> (user: User, uid: String) {
    let (user, _, _) = try await host.enrollTOTP()
    let name = passkeys.ask(challenge, in: try await user.multiFactor.session(), of: nil)
    let response = BelievingVerifier.response("alice", 0, challenge)
    let result = try await user.multiFactor.enroll(with: assertion(name, response), displayName: "Laptop")
    return (user, try #require(result.enrolledFactor).uid)
  }

  @Test func `A passkey works beside a code in the hints, the claims, and the step-up`() async throws {
    let host = try await host()
    let (_, uid) = try await enroll(host)
    for count in 1...3 {
      let resolver = try await host.resolver()
      #expect(resolver.hints.map(\.factorID) == ["totp", "passkey"])
      let hint = try #require(resolver.hints.last as? PasskeyInfo)
      #expect(hint.uid == uid && hint.displayName == "Laptop" && hint.credentialID == Data("id of alice".utf8))
      let name = passkeys.ask(challenge, in: resolver.session, of: hint.uid)
      let response = BelievingVerifier.response("alice", count, challenge)
      let user = try await resolver.resolveSignIn(with: assertion(name, response)).user
      #expect(user.claims.secondFactor == "passkey" && user.claims.secondFactorIdentifier == uid)
      try await user.requireSecondFactor(within: .seconds(60))
    }
  }

  @Test(arguments: StoreKind.available)
  func `A challenge is answered once, by its user, for its passkey, in five minutes`(on kind: StoreKind) async throws {
    let host = try await host(kind)
    let (user, uid) = try await enroll(host)
    let response = BelievingVerifier.response("alice", 1, challenge)
    let resolver = try await host.resolver()
    // Of 20 at once, one is accepted.
    let name = passkeys.ask(challenge, in: resolver.session, of: uid)
    let accepted = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<20 {
        group.addTask { await errorCode { try await resolver.resolveSignIn(with: assertion(name, response)) } == nil }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(accepted == 1)
    let again = BelievingVerifier.response("alice", 2, challenge)
    func end(_ name: String) async -> AuthError.Code? {
      await errorCode { try await resolver.resolveSignIn(with: assertion(name, again)) }
    }
    #expect(await end(name) == .invalidVerificationID)
    #expect(await end("never asked") == .invalidVerificationID)
    let (bob, _, _) = try await host.enrollTOTP(Host.bob)
    let ofBob = passkeys.ask(challenge, in: try await bob.multiFactor.session(), of: uid)
    #expect(await end(ofBob) == .invalidVerificationID)
    let toEnroll = passkeys.ask(challenge, in: try await user.multiFactor.session(), of: nil)
    #expect(await end(toEnroll) == .invalidVerificationID)
    let late = passkeys.ask(challenge, in: resolver.session, of: uid)
    clock.advance(by: 300)
    #expect(await end(late) == .invalidVerificationCode)
    #expect(await end(passkeys.ask(challenge, in: resolver.session, of: uid)) == nil)
  }
}
