import FactorRecord
import Foundation
import MultiFactorOperations
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

  @Test func `the layout is the documented one`() throws {
    // Written by hand from the article on documents; a change of this layout makes stored documents unreadable.
    var expected: [UInt8] = []
    func number(_ value: UInt64) { expected += (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) } }
    func bytes(_ value: [UInt8]) { expected += [UInt8(value.count)] + value }
    func text(_ value: String) { bytes(Array(value.utf8)) }
    let time: UInt64 = 1_700_000_000_000
    number(time)
    number(3)
    number(12)
    expected += [2]
    text("a")
    number(10)
    text("totp")
    expected += [1]
    number(time + 1)
    number(4)
    number(5)
    expected += [1]
    number(time)
    expected += [1]
    number(.max)
    expected += [1]
    number(700)
    number(UInt64(bitPattern: -2))
    expected += [1]
    number(8)
    expected += [1, 8]
    number(60)
    number(UInt64(bitPattern: -5))
    text("12345678901234567890")
    expected += [1]
    text("App")
    number(time)
    text("b")
    number(12)
    text("phone")
    text("+15105551234")
    number(2)
    number(0)
    expected += [0, 0]
    number(time)
    expected += [1]
    number(11)
    expected += [0]
    number(time)
    number(1)
    number(0)
    expected += [0, 0, 0]
    number(0)
    number(0)
    expected += [0, 1, 7]
    bytes(Array(0..<32))
    number(6)
    expected += [1]
    text("fingerprint")
    number(9)
    expected += [1]
    text("e")
    text("recovery")
    number(time)
    number(time)
    #expect(try Self.full().encoded().copiedBytes() == expected)
  }

  @Test func `an account's document stays small after any sequence of operations`() async throws {
    let host = try await Host()
    let user = try await host.signIn()
    _ = try await user.multiFactor.session()
    let long = String(repeating: "\u{1F600}", count: 1000)
    for index in 0..<4 {
      try await host.auth.admin.importFactor(
        .totp(secret: OTPSecret(bytes: [UInt8](repeating: UInt8(index + 1), count: 128)), displayName: long),
        for: "u1")
    }
    let (phone, uid) = try await host.enrollPhone(as: try await verified(host))
    _ = try await phone.multiFactor.generateRecoveryCodes()
    for _ in 0..<100 {
      host.clock.advance(by: 600)
      _ = await errorCode { try await host.challenge(uid) }
      host.sender.fails.toggle()
    }
    #expect(try #require(await host.store.document(.user("u1"))).count < 8192)
    #expect(try #require(await host.store.document(.external(.phone, "u1"))).count < 8192)
    // A user with one app needs little.
    _ = try await host.enrollTOTP(Host.bob)
    #expect(try #require(await host.store.document(.user("u2"))).count < 300)
  }

  /// A handle that counts as having verified its second factor.
  private func verified(_ host: Host) async throws -> User {
    let account = try await host.account()
    let factor = try #require(account.factors.first)
    let now = account.accountTime(at: host.clock.now)
    let signIn = SignIn(
      principal: Host.alice, firstFactor: .password, firstFactorDate: now,
      proof: .factor(uid: factor.uid, factor.kind, binding: factor.binding, now),
      generation: account.generation, expiry: now.addingTimeInterval(3600), end: now.addingTimeInterval(3600))
    return User(signIn, in: host.auth.context)
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
}
