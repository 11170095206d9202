import Foundation
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor

/// An administrator asks why a user's code is not accepted.
@Suite struct CodeExplanationTests {
  @Test func `An explanation names the factor, changes and counts nothing, and is reported`() async throws {
    let log = RecordingLog()
    let host = try await Host(log: log.append)
    let (user, key, uid) = try await host.enrollTOTP()
    let admin = host.auth.admin
    let other = try OTPSecret(bytes: [UInt8](1...20))
    let second = try await admin.importFactor(.totp(secret: other), for: "u1")
    let codes = try await user.multiFactor.generateRecoveryCodes().codes
    host.clock.advance(by: 600)
    let time = Int64(host.clock.now.timeIntervalSince1970)
    let before = try await host.store.document(.user("u1"))
    let told = log.events.count
    let typed: [(String, String?, String)] = try [
      (host.code(of: key), uid, "right"), (host.code(of: key, stepsAhead: -20), uid, "late"),
      (host.code(of: key, stepsAhead: -8), uid, "late"), (host.code(of: key, stepsAhead: 8), uid, "early"),
      (TOTP(secret: other).code(at: time).description, second, "right"), (codes[4], "recovery", "right"),
      ("no code", nil, ""),
    ]
    for (typed, uid, cause) in typed {
      let explanation = try await admin.explain(typed, of: "u1")
      #expect(explanation.likeliest?.uid == uid)
      #expect(uid == nil || explanation.likeliest?.explanation.cause.rawValue == cause)
      #expect(explanation.factors.count == 3 && explanation.user.factors.count == 2)
      #expect(!Reflection(of: explanation).contains(key))
    }
    #expect(try await host.store.document(.user("u1")) == before)
    #expect(log.events.dropFirst(told).map(\.summary) == Array(repeating: "explained", count: typed.count))
    // A code that was shown to the administrator later than it was typed.
    let earlier = try await admin.explain(typed[2].0, of: "u1", at: host.clock.now - 240)
    #expect(earlier.likeliest?.explanation.cause == .right)
  }

  @Test func `An unknown user, and a factor whose codes are not computed here, have no explanation`() async throws {
    let host = try await Host()
    #expect(try await host.auth.admin.explain("123456", of: "nobody").factors.isEmpty)
    _ = try await host.enrollPhone()
    let explanation = try await host.auth.admin.explain("123456", of: "u1")
    #expect(explanation.factors.isEmpty && explanation.user.factors.map(\.info.factorID) == ["phone"])
    await expectError(.userMismatch) { try await host.auth.admin.explain("1", of: "") }
  }
}
