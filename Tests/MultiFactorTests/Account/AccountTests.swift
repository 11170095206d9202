import FactorRecord
import Foundation
import MultiFactorOperations
import OTP
import Testing

@testable import Keyring
@testable import MultiFactor

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
    account.factors = [
      Factor(uid: "a", content: .record(record), displayName: "App", enrollmentDate: start),
      Factor(uid: "b", content: .phone(try PhoneNumber("+15105551234")), displayName: nil, enrollmentDate: start),
    ]
    var recovery = FactorRecord(
      .recoveryCodes([RecoveryCode(number: 7, tag: Array(0..<32))]), isPending: false,
      enrollmentMilliseconds: 1_700_000_000_000)
    recovery.attempts = Attempts(failures: 1)
    account.recovery = recovery
    account.failures = 6
    account.challenges = [
      Challenge(
        id: "c", purpose: .signIn(factorUID: "b"), number: try PhoneNumber("+15105551234"),
        codeHash: [UInt8](repeating: 7, count: 32), expiry: start, tries: 2, isActive: true, reference: "VE1")
    ]
    account.messages = MessageLog(latestTime: start, entries: [.init(time: start, count: 2)])
    account.spentSecrets = [.init(fingerprint: Array("fingerprint".utf8), lastAccepted: 9)]
    account.pastFactors = [PastFactor(uid: "e", kind: .recovery, enrollmentDate: start, removalDate: start)]
    account.latestTime = start
    return account
  }

  @Test func `an account is read as it was written, with every part`() throws {
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
    expected += [2]
    text("a")
    expected += [0, 1]
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
    expected += [2]
    text("+15105551234")
    number(0)
    number(0)
    expected += [0, 0]
    number(time)
    expected += [1, 0]
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
    text("c")
    expected += [1]
    text("b")
    text("+15105551234")
    bytes([UInt8](repeating: 7, count: 32))
    number(time)
    expected += [2, 1, 1]
    text("VE1")
    number(time)
    expected += [1]
    number(time)
    number(2)
    expected += [1]
    text("fingerprint")
    number(9)
    expected += [1]
    text("e")
    expected += [3]
    number(time)
    number(time)
    #expect(try Self.full().encoded().copiedBytes() == expected)
  }

  @Test func `an account's document stays small, whatever its user does`() async throws {
    let host = try await Host()
    let user = try await host.signIn()
    _ = try await user.multiFactor.session()
    let long = String(repeating: "\u{1F600}", count: 1000)
    for index in 0..<4 {
      try await host.auth.admin.importFactor(
        .totp(secret: OTPSecret(bytes: [UInt8](repeating: UInt8(index + 1), count: 128)), displayName: long),
        for: "u1")
    }
    let (phone, uid) = try await host.enrollPhone(as: try await proved(host))
    _ = try await phone.multiFactor.generateRecoveryCodes()
    for _ in 0..<100 {
      host.clock.advance(by: 600)
      _ = await errorCode { try await host.challenge(uid) }
      host.sender.fails.toggle()
    }
    let document = try #require(await host.store.document(.user("u1")))
    #expect(document.count < 8192)
    // A user with one app needs little.
    _ = try await host.enrollTOTP(Host.bob)
    #expect(try #require(await host.store.document(.user("u2"))).count < 300)
  }

  /// A handle that counts as having proved its second factor.
  private func proved(_ host: Host) async throws -> User {
    let account = try await host.account()
    let factor = try #require(account.factors.first)
    let now = account.now(by: host.clock.now)
    let signIn = SignIn(
      principal: Host.alice, firstFactor: .password, firstFactorDate: now,
      proof: Proof(uid: factor.uid, kind: factor.kind, date: now), generation: account.generation,
      expiry: now.addingTimeInterval(3600), end: now.addingTimeInterval(3600))
    return User(signIn, in: host.auth.context)
  }

  @Test func `a removal that makes the account forget what was spent revokes the handles`() throws {
    var account = try Self.full()
    account.spentSecrets = []
    let limit = Account.maximumSpentSecretCount
    for index in 0...limit {
      var record = try FactorRecord.totp(at: 0)
      record.spend(UInt64(index))
      let factor = Factor(uid: "x", content: .record(record), displayName: nil, enrollmentDate: Self.start)
      // Not the most recently enrolled, whose removal revokes the handles anyway.
      account.factors.insert(factor, at: 0)
      #expect(try account.remove("x", by: Self.start).isRevocation == (index == limit))
    }
    #expect(account.spentSecrets.map(\.lastAccepted) == (UInt64(limit / 2)...UInt64(limit)).map(\.self))
  }

  @Test func `a removal also removes the factor's challenges`() throws {
    var account = try Self.full()
    let before = account
    _ = try account.remove("a", by: Self.start)
    #expect(account.challenges == before.challenges)
    account = before
    _ = try account.remove("b", by: Self.start)
    #expect(account.challenges.isEmpty)
  }

  @Test func `of several messages counted at the same time, taking one back leaves the others counted`() throws {
    let limits = try SendLimits.Limit(3, every: 3600)
    var log = MessageLog()
    for _ in 0..<3 { try log.count(under: limits, by: Self.start) }
    #expect(throws: Refusal.self) { try log.count(under: limits, by: Self.start) }
    log.withdraw()
    try log.count(under: limits, by: Self.start)
    #expect(throws: Refusal.self) { try log.count(under: limits, by: Self.start) }
  }

  @Test(arguments: [1, 5, 250, 251, 10_000])
  func `messages are counted up to any limit, in bounded space`(limit: Int) throws {
    let limits = try SendLimits.Limit(limit, every: 3600)
    var log = MessageLog()
    for message in 0..<limit {
      try log.count(under: limits, by: Self.start.addingTimeInterval(Double(message) * 3000 / Double(limit)))
    }
    let end = Self.start.addingTimeInterval(3001)
    #expect(throws: Refusal.self) { try log.count(under: limits, by: end) }
    // A clock that is set back changes nothing.
    #expect(throws: Refusal.self) { try log.count(under: limits, by: Self.start.addingTimeInterval(-86_400)) }
    #expect(log.entries.count <= 250)
    // No message is dropped before its interval has passed.
    #expect(log.entries.reduce(0) { $0 + Int($1.count) } == limit)
    #expect(throws: Refusal.self) { try log.count(under: limits, by: Self.start.addingTimeInterval(3599.9)) }
    log.withdraw()
    try log.count(under: limits, by: end)
    // More messages, counted under a higher limit, are not lost.
    var other = log
    let wide = try SendLimits.Limit(1_000_000, every: 3600)
    for _ in 0..<600 { try other.count(under: wide, by: end) }
    #expect(other.entries.count <= 250)
    #expect(other.entries.reduce(0) { $0 + Int($1.count) } == limit + 600)
    // An interval and one 250th of it after the last message, none counts any more.
    try log.count(under: limits, by: end.addingTimeInterval(3600 + 3600 / 250 + 1))
    #expect(log.entries.map(\.count) == [1])
  }

  @Test(arguments: [1, 2, 3])
  func `An unknown choice is refused when it is read, and not taken for another`(value: Int)
    throws
  {
    var writer = ByteWriter()
    writer.append(value, of: [1, 2])
    var reader = ByteReader(writer.finish())
    #expect((try? reader.readChoice(of: [1, 2])) == (value == 3 ? nil : value))
  }

  @Test func `If one of several factors cannot be added, the account stays as it was, its time included`() throws {
    var account = try Self.full()
    let before = account.document().copiedBytes()
    let first = account.factors[0]
    let later = Self.start.addingTimeInterval(1_000_000)
    #expect(throws: Refusal.self) { try account.replace(with: [first, first], by: later) }
    #expect(account.document().copiedBytes() == before)
  }
}
