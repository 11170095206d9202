import Foundation
import OTP
import Testing

@testable import MultiFactor

/// A comparison that fails, so the code is neither right nor wrong.
@Suite struct ComparisonFailureTests {
  /// Another server on a host's store, on which every verification of a TOTP code throws: its window is out of range.
  private static func broken(_ host: Host, _ log: RecordingLog) async throws -> Host {
    let totp = MultiFactorConfiguration.ProviderConfig(
      state: .enabled, factorID: TOTPMultiFactorID,
      settings: .totp(adjacentIntervals: 11, driftLimit: 0, resynchronizationSteps: 0))
    return try await Host(
      store: host.store, keyring: host.keyring,
      configuration: MultiFactorConfiguration(providerConfigs: [totp]),
      log: log.append)
  }

  @Test func `A failed comparison is the server's failure, and the attempt stays counted`() async throws {
    let (host, _, key, uid) = try await Host.withApp()
    let log = RecordingLog()
    let broken = try await Self.broken(host, log)
    let right = try host.code(of: key, stepsAhead: 1)
    for count in 1...4 {
      let code = count == 1 ? right : try host.wrongCode(for: key)
      let error = await authError { try await broken.resolve(uid, code: code) }
      #expect(error?.code == .internalError && error?.reason == .cryptography)
      #expect(log.last == "failed cryptography" && log.events.last?.factorUID == uid)
      let account = try await host.account()
      #expect(account.factors[0].attempts.failures == UInt64(count) && account.failures == UInt64(count))
    }
    // As many as with any other failure: a failing server allows no more guesses.
    await expectError(.tooManyRequests) { try await broken.resolve(uid, code: right) }
    host.clock.advance(by: 1)
    _ = try await host.resolve(uid, code: right)
  }

  @Test func `An enrollment whose comparison fails enrolls nothing`() async throws {
    let log = RecordingLog()
    let host = try await Self.broken(Host(), log)
    let error = await authError { try await host.enrollTOTP() }
    #expect(error?.code == .internalError && error?.reason == .cryptography)
    #expect(log.last == "failed cryptography")
    #expect(try await host.account().factors.isEmpty)
  }
}
