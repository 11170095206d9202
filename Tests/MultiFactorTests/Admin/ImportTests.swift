import Foundation
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// Factors that users already have.
@Suite struct ImportTests {
  struct Shape: Sendable {
    let algorithm: HashAlgorithm
    let digits: OTPCode.Digits
    let period: Int64
    let t0: Int64
  }

  static let shapes = [
    Shape(algorithm: .sha1, digits: .six, period: 30, t0: 0),
    Shape(algorithm: .sha256, digits: .eight, period: 60, t0: 0),
    Shape(algorithm: .sha512, digits: .seven, period: 1, t0: 1_699_999_000),
    Shape(algorithm: .sha256, digits: .six, period: 86_400, t0: -1_000_000),
  ]

  @Test(arguments: shapes) func `An imported secret keeps its own algorithm, digits, period and t0`(shape: Shape)
    async throws
  {
    let host = try await Host()
    let factor = try FactorImport.totp(
      secret: .vector, algorithm: shape.algorithm, digits: shape.digits, period: shape.period, t0: shape.t0,
      displayName: "Old app")
    let uid = try await host.auth.admin.importFactor(factor, for: "u1")
    #expect(try await host.auth.admin.user("u1").factors.map(\.algorithm) == [shape.algorithm])
    let totp = try TOTP(
      secret: .vector, algorithm: shape.algorithm, digits: shape.digits, period: shape.period, t0: shape.t0)
    func code(_ steps: Int64) throws -> String {
      try totp.code(at: Int64(host.clock.now.timeIntervalSince1970) + steps * shape.period).description
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

  @Test func `The last step that the other system accepted is not accepted again`() async throws {
    let host = try await Host()
    let step = UInt64(host.clock.now.timeIntervalSince1970) / 30
    let uid = try await host.auth.admin.importFactor(.totp(secret: .vector, lastAcceptedStep: step), for: "u1")
    let totp = try TOTP(secret: .vector)
    let used = try totp.code(forStep: step).description
    await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: used) }
    _ = try await host.resolve(uid, code: totp.code(forStep: step + 1).description)
  }

  @Test func `No code is right before a secret's t0`() async throws {
    let host = try await Host()
    let start = Int64(host.clock.now.timeIntervalSince1970)
    let uid = try await host.auth.admin.importFactor(.totp(secret: .vector, t0: start + 60), for: "u1")
    let first = try TOTP(secret: .vector).code(forStep: 0).description
    await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: first) }
    host.clock.advance(by: 60)
    _ = try await host.resolve(uid, code: first)
  }

  @Test(arguments: [0, -30] as [Int64]) func `A period is at least one second`(period: Int64) {
    #expect(throws: OTPError.self) { try FactorImport.totp(secret: .vector, period: period) }
  }

  @Test func `After the highest counter, no code is left to import`() throws {
    #expect(throws: OTPError(.invalidCounter)) { try FactorImport.hotp(secret: .vector, lastAcceptedCounter: .max) }
    _ = try FactorImport.hotp(secret: .vector, lastAcceptedCounter: .max - 1)
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

  @Test func `A user can have a secret only once, as either kind of factor`() async throws {
    let host = try await Host()
    let admin = host.auth.admin
    let uid = try await admin.importFactor(.totp(secret: .vector), for: "u1")
    for again in try [FactorImport.totp(secret: .vector, digits: .eight), .hotp(secret: .vector)] {
      await expectError(.secondFactorAlreadyEnrolled) { try await admin.importFactor(again, for: "u1") }
    }
    _ = try await admin.importFactor(.totp(secret: .vector), for: "u2")
    #expect(try await admin.user("u1").factors.map(\.info.uid) == [uid])
  }

  @Test func `A phone number can be imported once per user, and signs in`() async throws {
    let host = try await Host()
    let phone = try FactorImport.phone(number: "+15105551234", displayName: "Desk")
    let uid = try await host.auth.admin.importFactor(phone, for: "u1")
    await expectError(.secondFactorAlreadyEnrolled) { try await host.auth.admin.importFactor(phone, for: "u1") }
    _ = try await host.auth.admin.importFactor(phone, for: "u2")
    await expectError(.invalidPhoneNumber) { try FactorImport.phone(number: "5105551234") }
    await expectError(.missingPhoneNumber) { try FactorImport.phone(number: "") }
    let (resolver, id) = try await host.challenge(uid)
    #expect(host.sender.messages.last?.phoneNumber == "+15105551234")
    _ = try await host.answer(id, host.sender.lastCode, resolver)
  }

  @Test func `The limit of five factors holds for an administrator too, and a user must have a name`() async throws {
    let host = try await Host()
    for _ in 0..<5 { _ = try await host.auth.admin.importFactor(.hotp(secret: .random()), for: "u1") }
    await expectError(.maximumSecondFactorCountExceeded) {
      try await host.auth.admin.importFactor(.hotp(secret: .vector), for: "u1")
    }
    for name in ["", String(repeating: "x", count: 257)] {
      await expectError(.userMismatch) { try await host.auth.admin.importFactor(.hotp(secret: .vector), for: name) }
      await expectError(.userMismatch) { try await host.auth.admin.revokeHandles(of: name) }
      await expectError(.userMismatch) { try await host.auth.admin.overwriteFactors(of: name, with: []) }
    }
  }
}
