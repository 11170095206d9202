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

  @Test(arguments: [true, false], StoreKind.available)
  func `A factor that is removed and imported again accepts no code that was spent, under any name`(
    isSameName: Bool, on kind: StoreKind
  ) async throws {
    let host = try await Host(kind)
    let admin = host.auth.admin
    let (_, key, uid) = try await host.enrollTOTP()
    host.clock.advance(by: 30)
    let spent = try host.code(of: key, stepsAhead: 2)
    _ = try await host.resolve(uid, code: spent)
    try await admin.removeFactor(uid, of: "u1")
    let again = try FactorImport.totp(secret: OTPSecret(base32: key), uid: isSameName ? uid : "other")
    let new = try await admin.importFactor(again, for: "u1")
    for steps in 0...2 {
      let code = try host.code(of: key, stepsAhead: steps)
      await expectError(.invalidVerificationCode) { try await host.resolve(new, code: code) }
    }
    _ = try await host.resolve(new, code: host.code(of: key, stepsAhead: 3))
  }

  @Test(arguments: [-60, -30, -1, 1, 30, 60] as [Int64], StoreKind.available)
  func `A secret that is overwritten or imported again with another t0 accepts no code that was spent`(
    t0: Int64, on kind: StoreKind
  ) async throws {
    let host = try await Host(kind)
    let admin = host.auth.admin
    let secret = try OTPSecret.random()
    let uid = try await admin.importFactor(.totp(secret: secret), for: "u1")
    let spent = try host.code(of: secret.base32String())
    _ = try await host.resolve(uid, code: spent)
    let same = try FactorImport.totp(secret: secret, t0: t0, uid: uid)
    for isOverwritten in [true, false] {
      if isOverwritten {
        try await admin.overwriteFactors(of: "u1", with: [same])
      } else {
        try await admin.removeFactor(uid, of: "u1")
        try await admin.importFactor(same, for: "u1")
      }
      for _ in 0..<4 {
        await expectError(.invalidVerificationCode) { try await host.resolve(uid, code: spent) }
        host.clock.advance(by: 30)
      }
      host.clock.advance(by: -120)
    }
  }

  @Test(arguments: StoreKind.available)
  func `A token that is removed and imported again accepts no counter that was spent`(on kind: StoreKind) async throws {
    let host = try await Host(kind)
    let admin = host.auth.admin
    let hotp = try HOTP(secret: .vector)
    let uid = try await admin.importFactor(.hotp(secret: .vector), for: "u1")
    _ = try await host.resolve(hotp: uid, codes: [hotp.code(counter: 3).description])
    try await admin.removeFactor(uid, of: "u1")
    // However long ago.
    host.clock.advance(by: 1_000_000)
    try await admin.importFactor(.hotp(secret: .vector, uid: uid), for: "u1")
    for counter in 0...3 as ClosedRange<UInt64> {
      let code = try hotp.code(counter: counter).description
      await expectError(.invalidVerificationCode) { try await host.resolve(hotp: uid, codes: [code]) }
    }
    host.clock.advance(by: 1)
    _ = try await host.resolve(hotp: uid, codes: [hotp.code(counter: 4).description])
  }

  @Test func `A counter or step that an import has stated wrongly can be corrected by another import`() async throws {
    let host = try await Host()
    let admin = host.auth.admin
    let hotp = try HOTP(secret: .vector)
    var uid = try await admin.importFactor(.hotp(secret: .vector), for: "u1")
    _ = try await host.resolve(hotp: uid, codes: [hotp.code(counter: 3).description])
    try await admin.removeFactor(uid, of: "u1")
    uid = try await admin.importFactor(.hotp(secret: .vector, lastAcceptedCounter: 1_000_000), for: "u1")
    let right = try FactorImport.hotp(secret: .vector, uid: uid)
    #expect(try await admin.overwriteFactors(of: "u1", with: [right]) == [uid])
    // What was accepted here stays spent all the same.
    let spent = try hotp.code(counter: 3).description
    await expectError(.invalidVerificationCode) { try await host.resolve(hotp: uid, codes: [spent]) }
    _ = try await host.resolve(hotp: uid, codes: [hotp.code(counter: 4).description])
  }

  @Test func `An overwrite keeps the account's failures, and a lock by them`() async throws {
    let host = try await Host()
    let admin = host.auth.admin
    let (_, key, uid) = try await host.enrollTOTP()
    try await host.store.change(.user("u1")) { [context = host.auth.context] stored in
      var account = try context.open(stored, of: Account.self, under: .user("u1"))?.document ?? Account()
      account.failures = 200
      stored.bytes = try context.seal(account, under: .user("u1"))
    }
    let new = try await admin.overwriteFactors(of: "u1", with: [.enrolled(uid: uid), .hotp(secret: .vector)])
    #expect(try await admin.user("u1").isLocked)
    let code = try host.code(of: key, stepsAhead: 1)
    await expectError(.tooManyRequests) { try await host.resolve(uid, code: code) }
    try await admin.unlock(new[1], of: "u1")
    _ = try await host.resolve(uid, code: code)
    // Without factors, there is nothing left to guess, nor to unlock.
    _ = await errorCode { try await host.resolve(uid, code: code) }
    try await admin.overwriteFactors(of: "u1", with: [])
    #expect(try await admin.user("u1").consecutiveFailures == 0)
  }
}
