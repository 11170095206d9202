import Foundation
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// Names and dates that another system has assigned, and factors that are kept.
@Suite struct KeptNameTests {
  private static let uuid = "4f2a7c1e-9b3d-4e5f-8a6b-1c2d3e4f5a6b"

  @Test func `An imported factor keeps its name and the date of its enrollment`() async throws {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    let date = Date(timeIntervalSince1970: 1_600_000_000)
    let totp = try OTPAuthURI(.totp(period: 30), secret: .random(), account: "a")
    let imports = try [
      FactorImport.totp(secret: .vector, uid: Self.uuid, enrollmentDate: date),
      .hotp(secret: .random(), uid: "token/1", enrollmentDate: date), .uri(totp, uid: "~", enrollmentDate: date),
      .phone(number: "+15105551234", uid: String(repeating: "x", count: 128), enrollmentDate: date),
    ]
    let names = [Self.uuid, "token/1", "~", String(repeating: "x", count: 128)]
    for (factor, name) in zip(imports, names) {
      #expect(try await host.auth.admin.importFactor(factor, for: "u1") == name)
    }
    #expect(log.events.map(\.factorUID) == [Self.uuid, nil, nil, nil])
    let hints = try await host.resolver().hints
    #expect(hints.map(\.uid) == names)
    #expect(hints.allSatisfy { $0.enrollmentDate == date })
    let code = try TOTP(secret: .vector).code(at: Int64(host.clock.now.timeIntervalSince1970)).description
    let claims = try await host.resolve(Self.uuid, code: code).user.claims
    #expect(claims.secondFactorIdentifier == Self.uuid)
    #expect(try await host.auth.admin.overwriteFactors(of: "u1", with: imports) == names)
  }

  @Test(arguments: [
    "", " ", "a b", "a\nb", "a\0b", "\u{1B}[31m", "\u{7F}", "é", "\u{202E}a", "recovery",
    String(repeating: "x", count: 129), String(repeating: "x", count: 10_000_000),
  ])
  func `A name that is too long or not visible ASCII is refused before the store is used`(uid: String) async throws {
    let host = try await Host()
    let factor = try FactorImport.hotp(secret: .vector, uid: uid)
    host.store.fail(atCall: 1, .failsBefore)
    await expectError(.missingMultiFactorInfo) { try await host.auth.admin.importFactor(factor, for: "u1") }
    await expectError(.missingMultiFactorInfo) {
      try await host.auth.admin.overwriteFactors(of: "u1", with: [.enrolled(uid: uid)])
    }
    #expect(host.store.recover().calls.isEmpty)
  }

  @Test func `A user cannot have two factors with the same name`() async throws {
    let host = try await Host()
    let admin = host.auth.admin
    try await admin.importFactor(.hotp(secret: .vector, uid: "a"), for: "u1")
    let same = try FactorImport.hotp(secret: .random(), uid: "a")
    await expectError(.secondFactorAlreadyEnrolled) { try await admin.importFactor(same, for: "u1") }
    try await admin.importFactor(same, for: "u2")
    let twice = try [FactorImport.hotp(secret: .random(), uid: "b"), .hotp(secret: .random(), uid: "b")]
    await expectError(.secondFactorAlreadyEnrolled) { try await admin.overwriteFactors(of: "u1", with: twice) }
    #expect(try await admin.user("u1").factors.map(\.info.uid) == ["a"])
  }

  @Test
  func `A factor imported under the name of a removed one does not revive earlier verifications`() async throws {
    let host = try await Host()
    let admin = host.auth.admin
    let (user, key, uid) = try await host.enrollTOTP()
    let (_, phone) = try await host.enrollPhone(as: user)
    host.clock.advance(by: 30)
    let handle = try await host.resolve(uid, code: host.code(of: key)).user
    host.clock.advance(by: 1)
    try await admin.removeFactor(uid, of: "u1")
    try await admin.importFactor(.totp(secret: .vector, uid: uid), for: "u1")
    // Nor does the removal of another one.
    try await admin.removeFactor(phone, of: "u1")
    await expectError(.secondFactorRequired) { try await handle.requireSecondFactor(within: .seconds(600)) }
    #expect(handle.claims.secondFactor == nil)
    host.clock.advance(by: 1)
    let code = try TOTP(secret: .vector).code(at: Int64(host.clock.now.timeIntervalSince1970)).description
    try await host.resolve(uid, code: code).user.requireSecondFactor(within: .seconds(600))
  }

  @Test(arguments: [1, 1e300, .infinity, .nan] as [TimeInterval])
  func `A date in the future is replaced by that of the import`(seconds: TimeInterval) async throws {
    let host = try await Host()
    let date = Date(timeIntervalSince1970: host.clock.now.timeIntervalSince1970 + seconds)
    try await host.auth.admin.importFactor(.hotp(secret: .vector, enrollmentDate: date), for: "u1")
    #expect(try await host.auth.admin.user("u1").factors[0].info.enrollmentDate == host.clock.now)
  }

  @Test func `An overwrite keeps a factor by its name, with its spent codes and failures`() async throws {
    let host = try await Host()
    let admin = host.auth.admin
    let (user, key, uid) = try await host.enrollTOTP()
    _ = try await host.enrollPhone(as: user)
    host.clock.advance(by: 30)
    let spent = try host.code(of: key)
    _ = try await host.resolve(uid, code: spent)
    await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: spent) }
    let before = try await host.account().factors

    let uids = try await admin.overwriteFactors(of: "u1", with: [.enrolled(uid: uid), .hotp(secret: .vector)])
    #expect(uids.first == uid && uids.count == 2)
    let after = try await host.account().factors
    #expect(after[0] == before[0] && after[0].attempts.failures == 1)
    await expectError(.userTokenExpired) { try await user.multiFactor.session() }
    await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: spent) }
    host.clock.advance(by: 30)
    _ = try await host.resolve(uid, code: host.code(of: key))
  }

  @Test func `A factor that the user does not have cannot be kept, and adding one to keep is refused`() async throws {
    let host = try await Host()
    let admin = host.auth.admin
    let (_, _, uid) = try await host.enrollTOTP()
    let (_, _, other) = try await host.enrollTOTP(Host.bob)
    let before = try await host.account()
    for list in [[FactorImport.enrolled(uid: other)], [.enrolled(uid: uid), .enrolled(uid: "x")]] {
      await expectError(.multiFactorInfoNotFound) { try await admin.overwriteFactors(of: "u1", with: list) }
    }
    let twice = [FactorImport.enrolled(uid: uid), .enrolled(uid: uid)]
    await expectError(.secondFactorAlreadyEnrolled) { try await admin.overwriteFactors(of: "u1", with: twice) }
    await expectError(.secondFactorAlreadyEnrolled) { try await admin.importFactor(.enrolled(uid: uid), for: "u1") }
    await expectError(.multiFactorInfoNotFound) { try await admin.importFactor(.enrolled(uid: other), for: "u1") }
    #expect(try await host.account() == before)
  }
}
