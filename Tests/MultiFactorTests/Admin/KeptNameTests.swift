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

  @Test(arguments: [1, 1e300, .infinity, .nan] as [TimeInterval])
  func `A date in the future is replaced by that of the import`(seconds: TimeInterval) async throws {
    let host = try await Host()
    let date = Date(timeIntervalSince1970: host.clock.now.timeIntervalSince1970 + seconds)
    try await host.auth.admin.importFactor(.hotp(secret: .vector, enrollmentDate: date), for: "u1")
    #expect(try await host.auth.admin.user("u1").factors[0].info.enrollmentDate == host.clock.now)
  }

  @Test(arguments: StoreKind.available)
  func `Nothing of a removed factor counts for one imported under its name, at the same time or after 101 removals`(
    on kind: StoreKind
  ) async throws {
    for removals in [1, 102] {
      let host = try await Host.remembering(kind)
      let (user, _, uid) = try await host.enrollTOTP()
      let browser = try await host.browsers.remember(for: user)
      let handle = try user.token()
      let secret = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
      let recovered = try await host.recover(user.multiFactor.generateRecoveryCodes().codes[0]).user
      let admin = host.auth.admin
      // By the dates of removals, only one that is remembered, and later than the verification, would be noticed.
      if removals > 1 { host.clock.advance(by: 1) }
      try await admin.removeFactor(uid, of: "u1")
      for _ in 1..<removals {
        try await admin.importFactor(.totp(secret: .vector, uid: "another"), for: "u1")
        try await admin.removeFactor("another", of: "u1")
      }
      let date = host.clock.now - 60
      try await admin.importFactor(.totp(secret: .vector, uid: uid, enrollmentDate: date), for: "u1")
      #expect(try await host.signIn(from: browser) == nil)
      for user in [user, recovered, try await host.auth.user(from: handle)] {
        await expectError(.secondFactorRequired) { try await user.requireSecondFactor(within: .seconds(3600)) }
        await expectError(.requiresRecentLogin) { try await user.multiFactor.session() }
        await expectError(.requiresRecentLogin) {
          try await user.multiFactor.enroll(with: host.assertion(secret), displayName: nil)
        }
        #expect(user.claims.secondFactor == nil)
      }
    }
  }
}
