import Foundation
import OTP
import Testing

@testable import MultiFactor

/// Recovery codes: ten, of 120 bits, each valid once.
@Suite struct RecoveryCodeTests {
  private func host(log: RecordingLog = RecordingLog()) async throws -> (Host, User, [String]) {
    let host = try await Host(log: log.append)
    let (user, _, _) = try await host.enrollTOTP()
    return (host, user, try await user.multiFactor.generateRecoveryCodes().codes)
  }

  @Test func `A new set has ten different recovery codes of 120 bits, in six groups of four`() async throws {
    let (_, user, codes) = try await host()
    #expect(codes.count == 10)
    #expect(Set(codes).count == 10)
    for code in codes {
      #expect(code.split(separator: "-").map(\.count) == [4, 4, 4, 4, 4, 4])
      #expect(try Base32.decode(code.filter { $0 != "-" }, strict: false).count == 15)
      #expect(code.allSatisfy { $0 == "-" || ("A"..."Z").contains($0) || ("2"..."7").contains($0) })
    }
    #expect(try await user.multiFactor.recoveryCodesRemaining == 10)
  }

  @Test func `A text that is not a recovery code is refused without counting an attempt`() async throws {
    let log = RecordingLog()
    let (host, _, codes) = try await host(log: log)
    for text in [
      "AAAA", codes[0] + "A", "AAAA-BBBB-CCCC-DDDD-EEEE-FFF1", codes[0] + "\0", String(repeating: "A", count: 100_000),
    ] {
      await expectError(.invalidVerificationCode) { try await host.recover(text) }
      #expect(log.last == "code_refused malformed")
    }
    await expectError(.missingVerificationCode) { try await host.recover("") }
    await expectError(.missingVerificationCode) { try await host.recover(" - ") }
    #expect(try await host.account("u1").recovery?.failures == 0)
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
