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

  @Test func `Each recovery code signs in once`() async throws {
    let log = RecordingLog()
    let (host, user, codes) = try await host(log: log)
    for (used, code) in codes.enumerated() {
      #expect(try await host.recover(code).user.claims.secondFactor == RecoveryCodeMultiFactorID)
      #expect(try await user.multiFactor.recoveryCodesRemaining == 9 - used)
      #expect(log.events.last?.recoveryCodeNumber == used + 1)
      guard used < 9 else { break }
      await expectError(.invalidVerificationCode) { try await host.recover(code) }
      #expect(log.last == "code_refused replayed")
    }
    #expect(try await host.resolver().hasRecoveryCodes == false)
    await expectError(.invalidVerificationCode) { try await host.recover(codes[0]) }
  }

  @Test func `New recovery codes replace the old ones`() async throws {
    let (host, user, old) = try await host()
    _ = try await host.recover(old[0])
    let new = try await user.multiFactor.generateRecoveryCodes().codes
    #expect(Set(old).isDisjoint(with: new))
    #expect(try await user.multiFactor.recoveryCodesRemaining == 10)
    await expectError(.invalidVerificationCode) { try await host.recover(old[1]) }
    _ = try await host.recover(new[0])
  }

  @Test func `New recovery codes begin without the failures of the old ones`() async throws {
    let (host, user, old) = try await host()
    for _ in 0..<4 { _ = await errorCode { try await host.recover("AAAA-BBBB-CCCC-DDDD-EEEE-FFFF") } }
    await expectError(.tooManyRequests) { try await host.recover(old[0]) }
    let new = try await user.multiFactor.generateRecoveryCodes().codes
    _ = try await host.recover(new[0])
  }

  @Test func `A revoked handle cannot make codes`() async throws {
    let (host, user, codes) = try await host()
    try await host.auth.admin.revokeHandles(of: "u1")
    await expectError(.userTokenExpired) { try await user.multiFactor.generateRecoveryCodes() }
    _ = try await host.recover(codes[0])
  }

  @Test func `Another user's codes are refused`() async throws {
    let (host, _, codes) = try await host()
    let (bob, _, _) = try await host.enrollTOTP(Host.bob)
    await expectError(.invalidVerificationCode) { try await host.recover(codes[0], by: Host.bob) }
    _ = try await bob.multiFactor.generateRecoveryCodes()
    await expectError(.invalidVerificationCode) { try await host.recover(codes[0], by: Host.bob) }
    _ = try await host.recover(codes[0])
  }

  @Test(
    arguments: [
      { $0.lowercased() }, { $0.replacingOccurrences(of: "-", with: " ") }, { $0.filter { $0 != "-" } },
      { " \($0.lowercased().replacingOccurrences(of: "-", with: "")) " },
      { String(String.UnicodeScalarView($0.unicodeScalars.map { Unicode.Scalar($0.value + 0xFEE0) ?? $0 })) },
    ] as [@Sendable (String) -> String])
  func `A recovery code is accepted in any spelling, and only once`(
    spell: @Sendable (String) -> String
  ) async throws {
    let (host, _, codes) = try await host()
    #expect(spell(codes[0]) != codes[0])
    _ = try await host.recover(spell(codes[0]))
    await expectError(.invalidVerificationCode) { try await host.recover(codes[0]) }
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

  @Test func `An account stores only hashes of its recovery codes`() async throws {
    let host = try await Host()
    let user = try await host.enrollTOTP().user
    let codes = try await user.multiFactor.generateRecoveryCodes().codes
    let account = try await host.account()
    #expect(account.recoveryCodes == Array(1...10))

    let document = account.encoded().copiedBytes()
    for code in codes {
      let bytes = try Base32.decode(code)
      for part in [bytes, Array(code.utf8), Array(code.filter { $0 != "-" }.utf8)] {
        #expect(!document.contains(part))
      }
    }
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

  @Test func `A sign-in with a recovery code may change factors, so that a lost one can be replaced`() async throws {
    let (host, first, codes) = try await host()
    let lost = try #require(first.claims.secondFactorIdentifier)
    let user = try await host.recover(codes[0]).user
    try await user.requireSecondFactor(within: .seconds(60))
    _ = try await host.enrollTOTP(as: user)
    try await user.multiFactor.unenroll(withFactorUID: lost)
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

  @Test func `New recovery codes require a recently verified factor, and a recovery code does not count as one`()
    async throws
  {
    let configuration = try MultiFactorConfiguration(providerConfigs: [.totp()], recentLoginInterval: .seconds(100))
    let host = try await Host(configuration: configuration)
    let codes = try await host.enrollTOTP().user.multiFactor.generateRecoveryCodes().codes
    let lost = try await host.recover(codes[0]).user
    await expectError(.requiresRecentLogin) { try await lost.multiFactor.generateRecoveryCodes() }
    #expect(try await lost.multiFactor.recoveryCodesRemaining == 9)
    // Enrolling a factor in place of the lost one verifies it.
    let (found, key, uid) = try await host.enrollTOTP(as: lost)
    _ = try await found.multiFactor.generateRecoveryCodes()
    host.clock.advance(by: 101)
    await expectError(.requiresRecentLogin) { try await found.multiFactor.generateRecoveryCodes() }
    let user = try await host.resolve(uid, code: host.code(of: key)).user
    host.clock.advance(by: 100)
    #expect(try await user.multiFactor.generateRecoveryCodes().codes.count == 10)
  }

  @Test func `A sign-in with a recovery code does not count as a second factor once the user has none`() async throws {
    let (host, _, codes) = try await host()
    let user = try await host.recover(codes[0]).user
    try await user.requireSecondFactor(within: .seconds(60))
    // A store that has lost the user's document.
    try await host.store.update(.user("u1")) { $0 = nil }
    await expectError(.multiFactorInfoNotFound) { try await user.requireSecondFactor(within: .seconds(60)) }
  }
}
