import OTP
import Testing

@testable import FactorRecord

/// What a record does with extreme values, and for the operator. (What it accepts, counts and refuses, from one action
/// to the next, is in `EveryRun`; parallel requests are in the check `doors`.)
@Suite struct RulesTests {
  private let now: Int64 = 1_700_000_000
  private let secret: OTPSecret

  init() throws { secret = try OTPSecret(bytes: Array("12345678901234567890".utf8)) }

  private func code(at unixTime: Int64) throws -> String { try TOTP(secret: secret).code(at: unixTime).description }
  private func code(counter: UInt64) throws -> String { try HOTP(secret: secret).code(counter: counter).description }

  private func totp(isPending: Bool = false) throws -> FactorRecord {
    try FactorRecord.totp(secret: secret, isPending: isPending, at: now)
  }

  private func hotp(counter: UInt64 = 0) throws -> FactorRecord {
    try FactorRecord.hotp(secret: secret, counter: counter, isPending: false, at: now)
  }

  @Test(arguments: [-1, 1] as [Int64])
  func `by default, a clock may be one step off, and a drift of five is followed`(sign: Int64) throws {
    var (record, pending) = try (totp(), totp(isPending: true))
    #expect(try pending.confirm(code(at: now + sign * 60), at: now) == .rejected(sign < 0 ? .late : .early))
    for (day, steps) in ([2, 0, 1, 2, 3, 4, 5, 6, 7] as [Int64]).enumerated() {
      let time = now + 86_400 * Int64(day)
      let isAccepted = try record.verify(code(at: time + sign * steps * 30), at: time).isAccepted
      #expect(isAccepted == (1...7 ~= day) && record.driftSteps == Int(sign) * min(max(0, day - 1), 5))
    }
    #expect(try FactorRecord.Policy() == .standard)
  }

  @Test func `the strict policy accepts only the code of the expected counter`() throws {
    var exact = try hotp(counter: 5)
    #expect(try !exact.verify(code(counter: 6), at: now, under: .strict).isAccepted)
    #expect(try exact.verify(code(counter: 5), at: now, under: .strict).isAccepted)
  }

  @Test func `the last counter is accepted, and nothing after it`() throws {
    var record = try hotp(counter: .max)
    #expect(try record.verify(code(counter: .max), at: now).isAccepted)
    for counter in [UInt64.max, 0, 1] { #expect(try !record.verify(code(counter: counter), at: now).isAccepted) }
    #expect(try record.explain(code(counter: .max), at: now).cause == .replayed)
    try record.unlock(at: now)
    #expect(try !record.resynchronize([code(counter: 0), code(counter: 1)], at: now).isAccepted)
  }

  @Test(arguments: [15, 60] as [Int64])
  func `a loss spends the steps of the factor's own period`(period: Int64) throws {
    let app = try TOTP(secret: secret, period: period)
    var record = try FactorRecord.totp(
      secret: secret, timeStep: TimeStep(period: period), isPending: false, at: now)
    try record.spend(until: now)
    // The adjacent step, and a drift of five.
    let end = (now / period + 7) * period
    #expect(try record.verify(app.code(at: end - 1).description, at: end - 1) == .wait(until: .init(endOfLoss: end)))
    #expect(try record.verify(app.code(at: end).description, at: end).isAccepted)
  }

  @Test func `an attempt whose cryptography fails stays counted`() throws {
    var record = try totp()
    let failure = FactorRecordError(.cryptographyFailed)
    #expect(throws: failure) {
      try record.attempt(at: .init(now), under: .standard) { (_) throws(FactorRecordError) in throw failure }
    }
    #expect(record.failures == 1 && record.lastAttemptTime == now)
  }

  @Test func `recovery codes are replaced by new ones, but neither replace a factor nor are replaced by one`() throws {
    let new = try FactorRecord.recoveryCodes(at: now).record
    var list = try FactorRecord.recoveryCodes(at: now).record
    #expect(try list.verify("AAAA-AAAA-AAAA-AAAA-AAAA-AAAA", at: now) == .rejected(.wrong))
    try list.replace(with: new)
    #expect(list.content == new.content && list.failures == 1)
    let factor = try totp()
    for (old, new) in [(list, factor), (factor, list)] {
      var record = old
      #expect(throws: FactorRecordError(.enrolled)) { try record.replace(with: new) }
      #expect(record == old)
    }
  }

  @Test(arguments: [(1, 0), (1, 3), (100, 3)])
  func `of the failures of a record and of the one that replaces it, the more count`(old: Int, new: Int) throws {
    func imported(_ failures: Int, at time: Int64) throws -> FactorRecord {
      try .totp(failures: failures, isPending: false, at: time)
    }
    for isLater in [false, true] {
      var record = try imported(old, at: now)
      try record.replace(with: imported(new, at: now + (isLater ? 60 : -60)), evenIfActive: true)
      #expect(record.failures == (old == 100 ? new : max(old, new)))
      #expect(record.lastAttemptTime == (isLater && new > 0 ? now + 60 : now))
    }
  }

  @Test(arguments: [10, 11])
  func `what was spent of the last ten secrets stays spent`(count: Int) throws {
    var record = try totp()
    #expect(try record.verify(code(at: now), at: now).isAccepted)
    for _ in 0..<count {
      var other = try FactorRecord.totp(at: now)
      other.spend(1)
      try record.replace(with: other, evenIfActive: true)
    }
    try record.replace(with: totp(), evenIfActive: true)
    #expect(record.spentSecrets.count == 10)
    #expect(try record.verify(code(at: now), at: now).isAccepted == (count > 10))
  }

  @Test func `a mistaken statement is corrected by another one, also of a secret that has accepted a code`() throws {
    var record = try hotp(counter: 5)
    #expect(try record.verify(code(counter: 5), at: now).isAccepted)
    for stated in [1_000_000, 6] as [UInt64] { try record.replace(with: hotp(counter: stated), evenIfActive: true) }
    #expect(try record.verify(code(counter: 6), at: now).isAccepted)
  }

  @Test(arguments: [Int64.min, -1, 59, 946_684_799, 7_258_118_400, 1_700_000_000_000, .max])
  func `a wild time is refused by each function that takes one, and remembered by none`(time: Int64) throws {
    let refused = FactorRecordError(.invalidTime)
    var (record, pending, token) = try (totp(), totp(isPending: true), hotp())
    #expect(throws: refused) { try FactorRecord.totp(at: time) }
    #expect(throws: refused) { try FactorRecord.hotp(at: time) }
    #expect(throws: refused) { try FactorRecord.recoveryCodes(at: time) }
    #expect(throws: refused) { try record.verify("000000", at: time) }
    #expect(throws: refused) { try pending.confirm("000000", at: time) }
    #expect(throws: refused) { try pending.diagnose("000000", at: time) }
    #expect(throws: refused) { try token.resynchronize(["000000", "000001"], at: time) }
    #expect(throws: refused) { try record.explain("000000", at: time) }
    #expect(throws: refused) { try record.refusal(at: time) }
    #expect(throws: refused) { try record.spend(until: time) }
    #expect(throws: refused) { try record.unlock(at: time) }
    #expect(try record == totp() && pending == totp(isPending: true) && token == hotp())
  }

  @Test(arguments: [946_684_800, 1_700_000_000, 7_258_118_399] as [Int64])
  func `no period or origin, however extreme, causes a trap`(time: Int64) throws {
    for period in [Int64(1), 30, .max] {
      for t0 in [Int64.min, 0, .max] {
        let step = try TimeStep(period: period, t0: t0)
        var record = try FactorRecord.totp(secret: secret, timeStep: step, isPending: false, at: time)
        _ = try record.verify("000000", at: time)
        _ = try record.verify("000000", at: now)
        _ = try record.explain("000000", at: time)
        _ = try record.resynchronize(["000000", "000001"], at: time)
        try record.spend(until: time)
        _ = try record.verify("000000", at: time)
        var pending = try FactorRecord.totp(secret: secret, timeStep: step, at: time)
        _ = try pending.diagnose("000000", at: time)
        _ = try pending.confirm("000000", at: time)
      }
    }
  }

  @Test(arguments: HashAlgorithm.allCases)
  func `codes from an app that ignores parameters are explained`(algorithm: HashAlgorithm) throws {
    for digits in [OTPCode.Digits.six, .seven, .eight] {
      let record = try FactorRecord.totp(secret: secret, algorithm: algorithm, digits: digits, at: now)
      for shown in HashAlgorithm.allCases {
        for period in [Int64(30), 60] where shown != algorithm || period != 30 {
          let app = try TOTP(secret: secret, algorithm: shown, digits: digits, period: period)
          // Another explanation, found earlier, would also give this code.
          let found = try #require(try record.diagnose(app.code(at: now).description, at: now))
          let explained = try TOTP(
            secret: secret, algorithm: found.algorithm, digits: found.digits, period: found.period)
          #expect(try explained.code(at: now + found.clockOffset) == app.code(at: now))
        }
      }
    }
    let record = try totp(isPending: true)
    #expect(try record.diagnose(code(at: now - 43_200), at: now)?.description == "perhaps the app's clock is 12 h late")
    // Of random secrets, one in 75 has another explanation among the 13,500 codes.
    let long = try OTPSecret(bytes: Array("12345678901234567890123456789012".utf8))
    let ignorant = try TOTP(secret: long).code(at: now - 210).description
    #expect(
      try FactorRecord.totp(secret: long, algorithm: .sha256, at: now).diagnose(ignorant, at: now)?.description
        == "the app computes SHA1 instead of SHA256; the app's clock is 3 min 30 s late")
    #expect(throws: FactorRecordError.self) { try totp().diagnose("000000", at: now) }
  }
}
