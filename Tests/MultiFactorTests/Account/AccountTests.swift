import FactorRecord
import Foundation
import OTP
import Testing

@testable import Keyring
@testable import MultiFactor
@testable import MultiFactorPhone

/// What an account guarantees by itself, without a store or a clock.
@Suite struct AccountTests {
  private static let start = Date(timeIntervalSince1970: 1_700_000_000)

  /// An account with something in every field.
  static func full() throws -> Account {
    var account = Account()
    let secret = FactorSecret(
      isTimeBased: true, secret: try .vector, algorithm: .sha256, digits: .eight,
      timeStep: try TimeStep(period: 60, t0: -5))
    var record = FactorRecord(.secret(secret), isPending: true, enrollmentMilliseconds: 1_700_000_000_001)
    record.lastAccepted = .max
    record.hasAccepted = true
    record.drift = Drift(found: 700, learned: -2)
    record.attempts = Attempts(failures: 4, acceptances: 5, latest: 1_700_000_000_000)
    record.lossTime = 8
    account.generation = 3
    account.bindingCount = 12
    account.factors = [
      Factor(uid: "a", content: .record(record), displayName: "App", enrollmentDate: start),
      Factor(
        uid: "b", content: .external(.phone, details: Array("+15105551234".utf8), Attempts(failures: 2)),
        displayName: nil, enrollmentDate: start),
    ]
    for (index, binding) in ([10, 12] as [UInt64]).enumerated() { account.factors[index].binding = binding }
    var recovery = FactorRecord(
      .recoveryCodes([RecoveryCode(number: 7, tag: Array(0..<32))]), isPending: false,
      enrollmentMilliseconds: 1_700_000_000_000)
    recovery.attempts = Attempts(failures: 1)
    (account.recovery, account.recoveryBinding) = (recovery, 11)
    account.failures = 6
    account.spentSecrets = [.init(fingerprint: Array("fingerprint".utf8), lastAccepted: 9)]
    account.pastFactors = [PastFactor(uid: "e", kind: .recovery, enrollmentDate: start, removalDate: start)]
    account.latestTime = start
    return account
  }

  @Test func `an account is read as it was written, in every part`() throws {
    let account = try Self.full()
    let bytes = account.encoded()
    #expect(try Account(bytes) == account)
    let copy = bytes.copiedBytes()
    for count in copy.indices {
      #expect(throws: KeyringError.self) { try Account(SecretBytes(copying: copy[..<count])) }
    }
    #expect(throws: KeyringError.self) { try Account(SecretBytes(copying: copy + [0])) }
  }

  @Test(arguments: [
    Proof.factor(uid: "a", .totp, binding: 3, start), .recoveryCode(7, bindings: 9, start),
    .rememberedBrowser(of: "a", binding: 3, start),
  ])
  func `a proof is read from a token as it was written`(proof: Proof) throws {
    #expect(try Proof(proof.encoded()) == proof)
  }

  @Test func `the layout is the documented one`() throws {
    // Written by hand from the article on documents; a change of this layout makes stored documents unreadable.
    func number(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) } }
    func bytes(_ value: some Collection<UInt8>) -> [UInt8] { [UInt8(value.count)] + value }
    func text(_ value: String) -> [UInt8] { bytes(value.utf8) }
    let time: UInt64 = 1_700_000_000_000
    let nothing: [UInt8] = [0]
    let parts: [[UInt8]] = [
      number(time), number(3), number(12),
      // Two factors: an app with its record, and a phone.
      [2], text("a"), number(10), text("totp"),
      [1], number(time + 1), number(4), number(5), [1], number(time), [1], number(.max), [1],
      number(700), number(UInt64(bitPattern: -2)), [1], number(8),
      [1, 8], number(60), number(UInt64(bitPattern: -5)), text("12345678901234567890"),
      [1], text("App"), number(time),
      text("b"), number(12), text("phone"), text("+15105551234"), number(2), number(0), nothing, nothing, number(time),
      // Recovery codes, one of which is left.
      [1], number(11),
      [0], number(time), number(1), number(0), nothing, nothing, [0], number(0), number(0), nothing,
      [1, 7], bytes(0..<32),
      number(6),
      // One spent secret, and one former factor.
      [1], text("fingerprint"), number(9), [1], text("e"), text("recovery"), number(time), number(time),
    ]
    #expect(try Self.full().encoded().copiedBytes() == parts.flatMap(\.self))
  }

  @Test func `a removal that makes the account forget spent codes revokes the handles`() throws {
    var account = try Self.full()
    account.spentSecrets = []
    let limit = Account.maximumSpentSecretCount
    for index in 0...limit {
      var record = try FactorRecord.totp(at: 1_700_000_000)
      record.spend(UInt64(index))
      let factor = Factor(uid: "x", content: .record(record), displayName: nil, enrollmentDate: Self.start)
      // Not the most recently enrolled, whose removal revokes the handles anyway.
      account.factors.insert(factor, at: 0)
      #expect(try account.remove("x", at: Self.start).isRevocation == (index == limit))
    }
    #expect(account.spentSecrets.map(\.lastAccepted) == (UInt64(limit / 2)...UInt64(limit)).map(\.self))
  }

  @Test func `If one of several factors cannot be added, the account and its time stay unchanged`() throws {
    var account = try Self.full()
    let before = account.document().copiedBytes()
    let first = account.factors[0]
    let later = Self.start.addingTimeInterval(1_000_000)
    #expect(throws: Refusal.self) { try account.replace(with: [first, first], at: later) }
    #expect(account.document().copiedBytes() == before)
  }

  @Test(
    arguments: [
      (1_700_000_000.1234, 1_700_000_000_123), (-0.0006, -1), (0, 0), (.infinity, .max), (-.infinity, .min),
      (.nan, .min), (1e300, .max), (-1e300, .min),
    ] as [(Double, Int64)])
  func `a time is written as the nearest millisecond that 64 bits hold`(seconds: Double, expected: Int64) throws {
    var writer = ByteWriter()
    writer.append(Date(timeIntervalSince1970: seconds))
    var reader = ByteReader(writer.finish())
    #expect(try reader.readInt64() == expected)
  }

  @Test(arguments: ["a", RecoveryCodeMultiFactorID])
  func `only a time over a day ahead is set back, by unlocking, which then revokes`(uid: String) throws {
    for (date, isSetBack) in [
      (Self.start - 86_400, false), (Self.start - 86_400.001, true), (Self.start - 1e9, true), (.distantPast, false),
    ] {
      var account = try Self.full()
      let generation = account.generation
      _ = try account.unlock(uid, at: date)
      #expect(account.latestTime == (isSetBack ? date : Self.start))
      #expect(account.generation == generation + (isSetBack ? 1 : 0))
    }
  }
}
