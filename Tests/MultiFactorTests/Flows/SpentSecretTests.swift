import Foundation
import MultiFactorOperations
import OTP
import Testing

@testable import MultiFactor

/// What was spent of a secret stays spent, whatever an administrator does with its factor; and secrets that HMAC cannot
/// tell apart are one.
@Suite struct SpentSecretTests {
  /// Two secrets with the same codes.
  struct Twins: Sendable {
    let first: [UInt8]
    let second: [UInt8]
    let algorithm: HashAlgorithm

    init(_ first: String, _ second: [UInt8], _ algorithm: HashAlgorithm) {
      self.first = Array(first.utf8)
      self.second = second
      self.algorithm = algorithm
    }

    init(_ first: String, hash: String, _ algorithm: HashAlgorithm) {
      let digits = Array(hash).compactMap { UInt8($0.hexDigitValue ?? 0) }
      let bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
      self.init(first, bytes, algorithm)
    }
  }

  private static func digits(_ count: Int) -> String { String(repeating: "1234567890", count: count / 10) }

  static let twins = [
    Twins(digits(20), Array(digits(20).utf8) + [0], .sha1),
    Twins(digits(20), Array(digits(20).utf8) + [UInt8](repeating: 0, count: 44), .sha256),
    Twins(digits(20), Array(digits(20).utf8) + [UInt8](repeating: 0, count: 108), .sha512),
    Twins(digits(80), hash: "50abf5706a150990a08b2c5ea40fa0e585554732", .sha1),
    Twins(digits(80), hash: "f371bc4a311f2b009eef952dd83ca80e2b60026c8e935592d0f9c308453c813e", .sha256),
    Twins(
      digits(160),
      hash: "72bf79456740d55c96ad9301a353d6f821910ae3b2e9b2f40220630d4fc61c2c"
        + "2d8ce3fa42a2fb744b39d59f08ba5f3678972b20a1c7ae5061d4919f1b1b0234", .sha512),
  ]

  @Test(arguments: twins, StoreKind.available)
  func `Secrets that HMAC cannot tell apart are one factor, with the same spent codes`(
    twins: Twins, on kind: StoreKind
  ) async throws {
    let host = try await Host(kind)
    let admin = host.auth.admin
    func factor(_ bytes: [UInt8]) throws -> FactorImport {
      try .totp(secret: OTPSecret(bytes: bytes), algorithm: twins.algorithm)
    }
    let code = try TOTP(secret: OTPSecret(bytes: twins.second), algorithm: twins.algorithm)
      .code(at: Int64(host.clock.now.timeIntervalSince1970)).description
    let uid = try await admin.importFactor(factor(twins.first), for: "u1")
    _ = try await host.resolve(uid, code: code)
    let second = try factor(twins.second)
    await expectError(.secondFactorAlreadyEnrolled) { try await admin.importFactor(second, for: "u1") }
    let new = try await admin.overwriteFactors(of: "u1", with: [second])
    await expectError(.invalidVerificationCode) { try await host.resolve(new[0], code: code) }
    let both = try [factor(twins.first), second]
    await expectError(.secondFactorAlreadyEnrolled) { try await admin.overwriteFactors(of: "u1", with: both) }
  }

  @Test(arguments: [HashAlgorithm.sha1, .sha512])
  func `Secrets that only another hash function cannot tell apart are two factors`(algorithm: HashAlgorithm)
    async throws
  {
    let host = try await Host()
    for bytes in [Self.twins[4].first, Self.twins[4].second] {
      try await host.auth.admin.importFactor(.totp(secret: OTPSecret(bytes: bytes), algorithm: algorithm), for: "u1")
    }
    #expect(try await host.account().factors.count == 2)
  }
}
