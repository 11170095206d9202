import FactorRecord
import Foundation
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor

/// What was spent of a secret stays spent, whatever an administrator does with its factor; and secrets that HMAC cannot
/// tell apart are one.
@Suite struct SpentSecretTests {
  /// The number of a secret's digits, and another secret with the same codes: the same with zeros, or its hash.
  private static let twins: [(digits: Int, zeros: Int, hash: String, algorithm: HashAlgorithm)] = [
    (20, 1, "", .sha1), (20, 44, "", .sha256), (20, 108, "", .sha512),
    (80, 0, "50abf5706a150990a08b2c5ea40fa0e585554732", .sha1),
    (80, 0, "f371bc4a311f2b009eef952dd83ca80e2b60026c8e935592d0f9c308453c813e", .sha256),
    (
      160, 0,
      "72bf79456740d55c96ad9301a353d6f821910ae3b2e9b2f40220630d4fc61c2c"
        + "2d8ce3fa42a2fb744b39d59f08ba5f3678972b20a1c7ae5061d4919f1b1b0234", .sha512
    ),
  ]

  private static func secret(_ digits: Int, zeros: Int = 0) throws -> OTPSecret {
    let text = String(repeating: "1234567890", count: digits / 10)
    return try OTPSecret(bytes: Array(text.utf8) + [UInt8](repeating: 0, count: zeros))
  }

  private static func secret(_ hash: String) throws -> OTPSecret {
    let digits = hash.compactMap(\.hexDigitValue)
    return try OTPSecret(
      bytes: stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
  }

  @Test(arguments: StoreKind.available)
  func `Secrets that HMAC cannot tell apart are one factor, with the same spent codes`(on kind: StoreKind) async throws
  {
    for (digits, zeros, hash, algorithm) in Self.twins {
      let host = try await Host(kind)
      let admin = host.auth.admin
      let twin = try hash.isEmpty ? Self.secret(digits, zeros: zeros) : Self.secret(hash)
      let code = try TOTP(secret: twin, algorithm: algorithm)
        .code(at: Int64(host.clock.now.timeIntervalSince1970)).description
      let first = try FactorImport.totp(secret: Self.secret(digits), algorithm: algorithm)
      let second = try FactorImport.totp(secret: twin, algorithm: algorithm)
      let uid = try await admin.importFactor(first, for: "u1")
      _ = try await host.resolve(uid, code: code)
      await expectError(.secondFactorAlreadyEnrolled) { try await admin.importFactor(second, for: "u1") }
      let new = try await admin.overwriteFactors(of: "u1", with: [second])
      await expectError(.invalidVerificationCode) { try await host.resolve(new[0], code: code) }
      await expectError(.secondFactorAlreadyEnrolled) {
        try await admin.overwriteFactors(of: "u1", with: [first, second])
      }
    }
  }

  @Test func `What an imported record has kept of the secrets before it stays spent`() async throws {
    let host = try await Host()
    let now = Int64(host.clock.now.timeIntervalSince1970)
    let code = try TOTP(secret: Self.secret(20)).code(at: now).description
    var record = try FactorRecord.totp(secret: Self.secret(20), isPending: false, at: now)
    #expect(try record.verify(code, at: now).isAccepted)
    try record.replace(with: .totp(isPending: false, at: now), evenIfActive: true)
    _ = try await host.auth.admin.importFactor(.record(record), for: "u1")
    let new = try await host.auth.admin.overwriteFactors(of: "u1", with: [.totp(secret: Self.secret(20))])
    await expectError(.invalidVerificationCode) { try await host.resolve(new[0], code: code) }
  }

  @Test(arguments: [HashAlgorithm.sha1, .sha512])
  func `Secrets that only another hash function cannot tell apart are two factors`(algorithm: HashAlgorithm)
    async throws
  {
    let host = try await Host()
    for secret in try [Self.secret(80), Self.secret(Self.twins[4].hash)] {
      try await host.auth.admin.importFactor(.totp(secret: secret, algorithm: algorithm), for: "u1")
    }
    #expect(try await host.account().factors.count == 2)
  }
}
