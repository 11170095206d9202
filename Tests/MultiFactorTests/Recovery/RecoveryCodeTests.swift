import Foundation
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor

/// Recovery codes: ten, for whom, and what is said of them. (Their text, and that each is valid once, is the record's.)
@Suite struct RecoveryCodeTests {
  @Test func `A text that is not a recovery code is refused without counting an attempt`() async throws {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    _ = try await host.enrollTOTP().user.multiFactor.generateRecoveryCodes()
    for text in ["AAAA", "AAAA-BBBB-CCCC-DDDD-EEEE-FFF1", String(repeating: "A", count: 100_000)] {
      await expectError(.invalidVerificationCode) { try await host.recover(text) }
      #expect(log.last == "code_refused malformed")
    }
    for empty in ["", " - "] { await expectError(.missingVerificationCode) { try await host.recover(empty) } }
    #expect(try await host.account("u1").recovery?.failures == 0)
  }

  @Test func `A sign-in with a recovery code does not count for a factor that was enrolled after it`() async throws {
    let (host, user, _, uid) = try await Host.withApp()
    let codes = try await user.multiFactor.generateRecoveryCodes().codes
    let recovered = try await host.recover(codes[0]).user
    try await recovered.requireSecondFactor(within: .seconds(60))
    _ = try await host.enrollTOTP(as: user)
    try await user.multiFactor.unenroll(withFactorUID: uid)
    await expectError(.secondFactorRequired) { try await recovered.requireSecondFactor(within: .seconds(60)) }
  }

  @Test func `Recovery codes require a factor to stand in for`() async throws {
    let host = try await Host()
    let user = try await host.signIn()
    await expectError(.multiFactorInfoNotFound) { try await user.multiFactor.generateRecoveryCodes() }
    let off = try await Host(
      configuration: MultiFactorConfiguration(providerConfigs: [.totp()], allowsRecoveryCodes: false))
    let (enrolled, _, _) = try await off.enrollTOTP()
    await expectError(.operationNotAllowed) { try await enrolled.multiFactor.generateRecoveryCodes() }
    await expectError(.operationNotAllowed) { try await off.recover("AAAA-BBBB-CCCC-DDDD-EEEE-FFFF") }
  }

  @Test func `Recovery codes are numbered, so that users can be asked for the next one and strike out used ones`()
    async throws
  {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    let codes = try await host.enrollTOTP().user.multiFactor.generateRecoveryCodes().codes
    #expect(Set(codes).count == 10)
    #expect(try await host.resolver().recoveryCodeNumbers == Array(1...10))
    for (number, left) in [(4, 9), (1, 8), (10, 7)] {
      _ = try await host.recover(codes[number - 1])
      #expect(log.events.last?.recoveryCodeNumber == number)
      #expect(log.events.dropLast().last?.recoveryCodeNumber == nil)
      #expect(try await host.auth.admin.user("u1").recoveryCodesRemaining == left)
    }
    #expect(try await host.resolver().recoveryCodeNumbers == [2, 3, 5, 6, 7, 8, 9])
    #expect(try await host.auth.resolver(from: host.resolver().token()).recoveryCodeNumbers.first == 2)
  }
}
