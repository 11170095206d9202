import FactorRecord
import Foundation
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor

/// Resynchronization of TOTP tokens whose clock has drifted, by consecutive codes.
@Suite struct TokenResynchronizationTests {
  /// A token with the test vectors' secret, whose clock is off by a number of seconds.
  private struct Token {
    let host: Host
    let uid: String
    var secondsAhead: Int64

    init(secondsAhead: Int64, log: RecordingLog = RecordingLog()) async throws {
      host = try await Host(
        configuration: MultiFactorConfiguration(providerConfigs: [.totp(adjacentIntervals: 1)]), log: log.append)
      uid = try await host.auth.admin.importFactor(.totp(secret: .vector), for: "u1")
      self.secondsAhead = secondsAhead
    }

    /// The code that it shows.
    func code(stepsLater steps: Int64 = 0) throws -> String {
      let time = Int64(host.clock.now.timeIntervalSince1970) + secondsAhead + 30 * steps
      return try TOTP(secret: .vector).code(at: time).description
    }

    /// A code and the next one, as a person would write them down.
    func codesInARow(_ count: Int = 2) throws -> [String] {
      try (0..<count).map { index in
        if index > 0 { host.clock.advance(by: 30) }
        return try code()
      }
    }

    func signIn(_ codes: [String]) async -> AuthError.Code? {
      await errorCode {
        let assertion =
          codes.count == 1
          ? TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: codes[0])
          : TOTPMultiFactorGenerator.assertionForResynchronization(withEnrollmentID: uid, oneTimePasswords: codes)
        #expect(assertion.factorID == TOTPMultiFactorID)
        return try await host.resolver().resolveSignIn(with: assertion)
      }
    }
  }

  /// Hours either way, including offsets that are not a multiple of the period.
  @Test(arguments: [-44_900, -20_017, -61, 61, 345, 20_017, 44_900])
  func `A drifted token signs in with two consecutive codes, and from then on with one`(secondsAhead: Int64)
    async throws
  {
    let token = try await Token(secondsAhead: secondsAhead)
    let alone = try token.code()
    #expect(await token.signIn([alone]) == .invalidVerificationCode)
    let codes = try token.codesInARow()
    // The step may end between the second code and its arrival.
    token.host.clock.advance(by: 17)
    #expect(await token.signIn(codes) == nil)
    for days in 1...3 {
      token.host.clock.advance(by: 86_400 * Double(days))
      let code = try token.code()
      #expect(await token.signIn([code]) == nil, "day \(days)")
      #expect(await token.signIn([code]) == .invalidVerificationCode)
    }
  }

  @Test func `Codes up to the last accepted one cannot resynchronize a token`() async throws {
    let log = RecordingLog()
    let token = try await Token(secondsAhead: 6000, log: log)
    let before = try token.code(stepsLater: -1)
    let codes = try token.codesInARow(3)
    #expect(await token.signIn(Array(codes[0...1])) == nil)
    // The same pair; the pair before it; the last accepted code and the next one, which is fresh.
    for used in [Array(codes[0...1]), [before, codes[0]], Array(codes[1...2])] {
      token.host.clock.advance(by: 60)
      #expect(await token.signIn(used) == .invalidVerificationCode)
      #expect(log.last == "code_refused replayed")
    }
    #expect(try await token.host.account().factors[0].drift.found == 199)
    // Two fresh codes do.
    let fresh = try token.codesInARow()
    #expect(await token.signIn(fresh) == nil)
  }

  @Test func `Drift learned afterward counts from where the token was found`() async throws {
    let token = try await Token(secondsAhead: 6000)
    let codes = try token.codesInARow()
    #expect(await token.signIn(codes) == nil)
    let learning = try await Host(
      store: token.host.store, keyring: token.host.keyring,
      configuration: MultiFactorConfiguration(providerConfigs: [.totp(adjacentIntervals: 2, driftLimit: 3)]))
    learning.clock.now = token.host.clock.now
    for steps in [2, 4, 5] {
      learning.clock.advance(by: 3600)
      let code = try learning.code(of: OTPSecret.vector.base32String(), stepsAhead: 200 + steps)
      _ = try await learning.resolve(token.uid, code: code)
      #expect(try await learning.account().factors[0].drift == Drift(found: 200, learned: min(steps, 3)))
    }
    // After another resynchronization, learning starts over.
    learning.clock.advance(by: 3600)
    let again = try (209...210).map { try learning.code(of: OTPSecret.vector.base32String(), stepsAhead: $0) }
    let assertion = TOTPMultiFactorGenerator.assertionForResynchronization(
      withEnrollmentID: token.uid, oneTimePasswords: again)
    _ = try await learning.resolver().resolveSignIn(with: assertion)
    #expect(try await learning.account().factors[0].drift == Drift(found: 210))
  }

  @Test func `A TOTP assertion is refused for a HOTP token, and vice versa`() async throws {
    let token = try await Token(secondsAhead: 0)
    let counter = try await token.host.auth.admin.importFactor(
      .hotp(secret: OTPSecret(bytes: Array(1...20))), for: "u1")
    let codes = try token.codesInARow()
    await expectError(.multiFactorInfoNotFound) { try await token.host.resolve(hotp: token.uid, codes: codes) }
    let assertion = TOTPMultiFactorGenerator.assertionForResynchronization(
      withEnrollmentID: counter, oneTimePasswords: codes)
    let resolver = try await token.host.resolver()
    await expectError(.multiFactorInfoNotFound) { try await resolver.resolveSignIn(with: assertion) }
  }
}
