import Foundation
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor
@testable import MultiFactorPhone

/// `exportSecrets(of:)`, the only call that reveals secrets.
@Suite struct SecretExportTests {
  @Test func `An exported app has its drift and last accepted step`() async throws {
    let log = RecordingLog()
    let host = try await Host(
      configuration: MultiFactorConfiguration(providerConfigs: [.totp(driftLimit: 2)]), log: log.append)
    let factor = try FactorImport.totp(
      secret: .vector, algorithm: .sha256, digits: .eight, period: 60, t0: 7, displayName: "Old app")
    let uid = try await host.auth.admin.importFactor(factor, for: "u1")
    let totp = try TOTP(secret: .vector, algorithm: .sha256, digits: .eight, period: 60, t0: 7)
    let step = UInt64(Int64(host.clock.now.timeIntervalSince1970) - 7) / 60
    #expect(
      try await host.auth.admin.exportSecrets(of: "u1").map(\.kind) == [
        .totp(period: 60, t0: 7, drift: 0, lastAcceptedStep: nil)
      ])
    // The user's clock is one step ahead, which is learned from an accepted code.
    _ = try await host.resolve(uid, code: totp.code(forStep: step + 1).description)
    let before = log.events.count
    let export = try #require(try await host.auth.admin.exportSecrets(of: "u1").first)
    #expect(try export.secret == .vector && export.algorithm == .sha256 && export.digits == .eight)
    #expect(export.kind == .totp(period: 60, t0: 7, drift: 1, lastAcceptedStep: step + 1))
    #expect(export.uid == uid && export.displayName == "Old app" && export.enrollmentDate == host.clock.now)
    #expect(log.events.dropFirst(before).map(\.kind) == [.exported])
    #expect(log.events.last?.factorUID == uid && log.events.last?.userID == "u1")
    #expect(log.events.last?.factorID == TOTPMultiFactorID)
  }

  @Test func `An exported token has its next counter, and a phone is left out`() async throws {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    let admin = host.auth.admin
    let phone = try FactorImport.phone(number: "+15105551234")
    for factor in [try .hotp(secret: .vector, lastAcceptedCounter: 40), phone, try .hotp(secret: .random())] {
      try await admin.importFactor(factor, for: "u1")
    }
    let before = log.events.count
    let exports = try await admin.exportSecrets(of: "u1")
    #expect(exports.map(\.kind) == [.hotp(counter: 41), .hotp(counter: 0)])
    #expect(log.events.dropFirst(before).map(\.kind) == [.exported, .exported])
    #expect(try await admin.exportSecrets(of: "nobody").isEmpty)
    #expect(log.events.count == before + 2)
    let uid = try await admin.importFactor(
      .hotp(secret: OTPSecret(bytes: [1]), lastAcceptedCounter: .max - 1), for: "u2")
    let last = try HOTP(secret: OTPSecret(bytes: [1])).code(counter: .max).description
    let bob = Principal(id: "u2", email: "bob@example.com", isEmailVerified: true)
    let assertion = HOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: uid, oneTimePassword: last)
    _ = try await host.resolver(bob).resolveSignIn(with: assertion)
    #expect(try await admin.exportSecrets(of: "u2").map(\.kind) == [.hotp(counter: nil)])
  }
}
