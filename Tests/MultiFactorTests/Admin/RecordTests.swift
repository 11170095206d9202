import FactorRecord
import Foundation
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor

/// The record of everything that is or was bound to an account.
@Suite struct RecordTests {
  /// The record's entries in short: the kind, and from when until when it was bound, in seconds from the start.
  private func record(_ host: Host, since start: Date) async throws -> [String] {
    func seconds(_ date: Date) -> String { "\(Int(date.timeIntervalSince(start)))" }
    return try await host.auth.admin.user("u1").history.map { entry in
      "\(entry.factorID) \(seconds(entry.enrollmentDate))-\(entry.removalDate.map(seconds) ?? "")"
    }
  }

  @Test func `The record lists everything that was ever bound to an account, with dates`() async throws {
    let host = try await Host()
    let start = host.clock.now
    #expect(try await record(host, since: start).isEmpty)
    let (user, _, app) = try await host.enrollTOTP()
    host.clock.advance(by: 10)
    _ = try await user.multiFactor.generateRecoveryCodes()
    host.clock.advance(by: 10)
    let (_, phone) = try await host.enrollPhone(as: user)
    #expect(try await record(host, since: start) == ["totp 0-", "phone 20-", "recovery 10-"])

    host.clock.advance(by: 10)
    _ = try await user.multiFactor.generateRecoveryCodes()
    try await user.multiFactor.unenroll(withFactorUID: app)
    #expect(try await record(host, since: start) == ["recovery 10-30", "totp 0-30", "phone 20-", "recovery 30-"])
    #expect(try await host.auth.admin.user("u1").history.map(\.uid) == ["recovery", app, phone, "recovery"])

    host.clock.advance(by: 10)
    try await host.auth.admin.importFactor(.hotp(secret: .vector), for: "u1")
    try await host.auth.admin.removeFactor(phone, of: "u1")
    host.clock.advance(by: 10)
    try await host.auth.admin.overwriteFactors(of: "u1", with: [])
    let all = ["recovery 10-30", "totp 0-30", "phone 20-40", "hotp 40-50", "recovery 30-50"]
    #expect(try await record(host, since: start) == all)
    // Also for a user without factors, and on another server.
    let exported = try await host.server().admin.users()
    #expect(exported.map(\.userID) == ["u1"] && exported[0].history.count == 5)

    try await host.auth.admin.deleteUser("u1")
    #expect(try await record(host, since: start).isEmpty)
  }

  @Test func `The record contains no secret, and keeps a limited number of the latest entries`() throws {
    var account = Account()
    var clock = Date(timeIntervalSince1970: 1_700_000_000)
    for index in 0..<130 {
      clock.addTimeInterval(1000)
      let secret = try OTPSecret(bytes: [UInt8](repeating: UInt8(index), count: 20))
      let content = Factor.Content.secret(FactorSecret(isTimeBased: true, secret: secret))
      let uid = String(repeating: "\(index % 10)", count: 29) + "\(100 + index)"
      try account.add(Factor(uid: uid, content: content, displayName: nil, enrollmentDate: clock), atMost: 5, at: clock)
      _ = try account.remove(uid, at: clock)
    }
    #expect(account.pastFactors.count == 100)
    #expect(account.pastFactors.first?.uid.hasSuffix("130") == true)
    #expect(account.pastFactors.last?.uid.hasSuffix("229") == true)
    let bytes = account.document().copiedBytes()
    // A few dozen bytes each, none of which are a secret's.
    #expect(bytes.count < 100 * 56)
    #expect(!bytes.contains([UInt8](repeating: 129, count: 8)))
  }
}
