import FactorRecord
import Foundation
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// Factors that users already have.
@Suite struct ImportTests {
  @Test(
    arguments: [(.sha256, .eight, 60, 0), (.sha512, .seven, 1, 1_699_999_000), (.sha1, .six, 86_400, -1_000_000)]
      as [(HashAlgorithm, OTPCode.Digits, Int64, Int64)])
  func `An imported secret keeps its own algorithm, digits, period and t0`(
    algorithm: HashAlgorithm, digits: OTPCode.Digits, period: Int64, t0: Int64
  ) async throws {
    let host = try await Host()
    let factor = try FactorImport.totp(
      secret: .vector, algorithm: algorithm, digits: digits, period: period, t0: t0, displayName: "Old app")
    let uid = try await host.auth.admin.importFactor(factor, for: "u1")
    #expect(try await host.auth.admin.user("u1").factors.map(\.algorithm) == [algorithm])
    let totp = try TOTP(secret: .vector, algorithm: algorithm, digits: digits, period: period, t0: t0)
    func code(_ steps: Int64) throws -> String {
      try totp.code(at: Int64(host.clock.now.timeIntervalSince1970) + steps * period).description
    }
    #expect(try await host.resolver().hints[0].displayName == "Old app")
    let early = try code(6)
    let short = String(try code(0).dropLast())
    await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: early) }
    await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: short) }
    _ = try await host.resolve(uid, code: code(0))
    let used = try code(0)
    await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: used) }
    _ = try await host.resolve(uid, code: code(5))
  }

  @Test func `After the highest counter, no code is left to import`() throws {
    #expect(throws: FactorRecordError(.outOfRange)) {
      try FactorImport.hotp(secret: .vector, lastAcceptedCounter: .max)
    }
    _ = try FactorImport.hotp(secret: .vector, lastAcceptedCounter: .max - 1)
  }

  @Test func `A secret that is too long, or a period under a second, is not imported`() throws {
    let longest = try OTPSecret(bytes: [UInt8](repeating: 1, count: 1024))
    let longer = try OTPSecret(bytes: [UInt8](repeating: 1, count: 1025))
    _ = (try FactorImport.totp(secret: longest), try FactorImport.hotp(secret: longest))
    #expect(throws: FactorRecordError(.invalidSecret)) { try FactorImport.totp(secret: longer) }
    #expect(throws: FactorRecordError(.invalidSecret)) { try FactorImport.hotp(secret: longer) }
    #expect(throws: FactorRecordError(.outOfRange)) { try FactorImport.totp(secret: .vector, period: 0) }
  }

  @Test func `A record that is pending, or of recovery codes, is not imported`() throws {
    #expect(throws: FactorRecordError(.pending)) { try FactorImport.record(.totp(at: 1_700_000_000)) }
    #expect(throws: FactorRecordError(.anotherKind)) {
      try FactorImport.record(FactorRecord.recoveryCodes(at: 1_700_000_000).record)
    }
  }

  @Test func `A key URI is imported with all of its parameters`() async throws {
    let host = try await Host()
    let totp = try OTPAuthURI(.totp(period: 60), secret: .vector, account: "a", algorithm: .sha512, digits: .eight)
    let tokenSecret = try OTPSecret.random()
    let hotp = try OTPAuthURI(.hotp(counter: 7), secret: tokenSecret, account: "a")
    let byTime = try await host.auth.admin.importFactor(.uri(totp), for: "u1")
    let byCounter = try await host.auth.admin.importFactor(.uri(hotp, displayName: "Token"), for: "u1")
    let now = Int64(host.clock.now.timeIntervalSince1970)
    _ = try await host.resolve(byTime, code: TOTP(totp).code(at: now).description)
    let past = try HOTP(secret: tokenSecret).code(counter: 6).description
    await expectError(.invalidVerificationCode) { try await host.resolve(hotp: byCounter, codes: [past]) }
    _ = try await host.resolve(hotp: byCounter, codes: [HOTP(secret: tokenSecret).code(counter: 7).description])
  }
}
