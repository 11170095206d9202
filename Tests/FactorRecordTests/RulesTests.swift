import OTP
import Testing

@testable import FactorRecord

/// What a record accepts, counts and refuses. (How many attempts may be made is in AttemptsTests; parallel requests are
/// in the check `own-table`; from one submission to the next, the vectors' sequences say far more.)
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

  @Test(arguments: [0, 1, 5, 10]) func `a code is accepted in its window, and called late or early outside it`(
    side: Int
  )
    throws
  {
    let policy = try FactorRecord.Policy(adjacentIntervals: side)
    for offset in -20...20 {
      var record = try totp()
      let answer = try record.verify(code(at: now + Int64(offset) * 30), at: now, under: policy)
      switch offset {
      case -side...side: #expect(answer.isAccepted)
      case ..<0: #expect(answer == .rejected(offset >= -10 ? .late : .wrong))
      default: #expect(answer == .rejected(offset <= 10 ? .early : .wrong))
      }
      #expect(record.failures == (answer.isAccepted ? 0 : 1))
      // The same after a sign-in: wait for the next code would be wrong advice for a clock that is late.
      guard !(-side...side ~= offset) else { continue }
      var used = try totp()
      #expect(try used.verify(code(at: now), at: now, under: policy).isAccepted)
      #expect(try used.verify(code(at: now + Int64(offset) * 30), at: now, under: policy) == answer)
    }
  }

  @Test func `an accepted code and all earlier ones stay spent`() throws {
    var record = try totp()
    #expect(try record.verify(code(at: now), at: now).isAccepted)
    // Also under a wider window, after a clock was set back, and after a new enrollment of the same secret.
    var tried = record
    #expect(try tried.verify(code(at: now), at: now, under: .init(adjacentIntervals: 10)) == .rejected(.replayed))
    tried = record
    #expect(try tried.verify(code(at: now), at: now - 3600) != .rejected(.malformed) && tried.acceptances == 1)
    tried = record
    try tried.replace(with: totp(isPending: true))
    #expect(try tried.confirm(code(at: now), at: now) == .rejected(.replayed))
    guard case .enrolled = try tried.confirm(code(at: now + 30), at: now) else { throw Unexpected() }
  }

  @Test func `a replacement keeps the failures until it is confirmed`() throws {
    var record = try totp()
    for _ in 0..<3 { _ = try record.verify("000000", at: now) }
    try record.replace(with: FactorRecord.totp(at: now))
    #expect(record.isPending && record.failures == 3)
    let own = try TOTP(record.keyURI(issuer: "", account: "a")).code(at: now).description
    guard case .enrolled = try record.confirm(own, at: now) else { throw Unexpected() }
    #expect(record.failures == 0)
  }

  @Test func `a pending factor signs nobody in, and its confirmation is not counted`() throws {
    var record = try totp(isPending: true)
    #expect(try record.verify(code(at: now), at: now) == .rejected(.pending))
    for _ in 0..<20 { #expect(try record.confirm("000000", at: now) == .rejected(.wrong)) }
    #expect(record.failures == 0)
    guard case .enrolled = try record.confirm(code(at: now), at: now) else { throw Unexpected() }
    #expect(try record.confirm(code(at: now + 30), at: now) == .rejected(.confirmed))
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
    try record.unlock(at: now)
    #expect(try !record.resynchronize([code(counter: 0), code(counter: 1)], at: now).isAccepted)
  }

  @Test(arguments: [2, 3]) func `consecutive codes resynchronize a clock`(count: Int) throws {
    var app = try totp()
    let late = now - 3600
    let shown = try (0..<count).map { try code(at: late + Int64($0) * 30) }
    let last = Int64(count - 1) * 30
    #expect(try app.resynchronize(shown, at: now + last).isAccepted && app.driftSteps == -120)
    // From then on a single code is enough.
    #expect(try app.verify(code(at: late + last + 30), at: now + last + 30, under: .strict).isAccepted)
    var strict = try totp()
    #expect(try strict.resynchronize(shown, at: now, under: .strict) == .rejected(.disabled) && strict.failures == 0)
  }

  @Test func `after a loss, codes that may have been accepted are spent, and refusing them counts no failure`() throws {
    var record = try totp()
    try record.spend(until: now)
    let spent = record
    try record.spend(until: now)
    try record.spend(until: now - 1000)
    #expect(record == spent)
    guard case .wait(let end) = try record.verify(code(at: now), at: now), end > now, end <= now + 12 * 30 else {
      throw Unexpected()
    }
    #expect(record.failures == 0)
    #expect(try record.verify(code(at: end), at: end).isAccepted)
    var token = try hotp()
    try token.spend(until: now)
    #expect(try token == hotp())
  }

  @Test func `drift is learned within its limit, and no further`() throws {
    let policy = try FactorRecord.Policy(adjacentIntervals: 1, driftLimit: 2)
    var record = try totp()
    var time = now
    // The app's clock runs ahead by one more step at each sign-in.
    for ahead in 1...3 {
      time += 600
      #expect(try record.verify(code(at: time + Int64(ahead) * 30), at: time, under: policy).isAccepted)
      #expect(record.driftSteps == min(ahead, 2))
    }
    time += 600
    #expect(try !record.verify(code(at: time + 4 * 30), at: time, under: policy).isAccepted)
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

  @Test func `unlocking forgets an attempt in the future, and nothing after 100 failures`() throws {
    var record = try totp()
    // A clock was 76 years ahead once; by it, delays would last until then.
    _ = try record.verify("000000", at: 4_100_000_000)
    for _ in 0..<3 { #expect(try record.verify("000000", at: now) == .rejected(.wrong)) }
    #expect(record.refusal(now: 0, under: .standard) == .wait(until: 4_100_000_001))
    try record.unlock(at: now)
    for _ in 0..<4 { #expect(try record.verify("000000", at: now) == .rejected(.wrong)) }
    #expect(try record.refusal(at: now) == .wait(until: now + 1))

    var time = now
    while record.failures < 100 {
      time += 3600
      #expect(!record.needsNewEnrollment)
      _ = try record.verify("000000", at: time)
    }
    let locked = record
    try record.unlock(at: time)
    #expect(record == locked && record.needsNewEnrollment)
    let explanation = try record.explain(code(at: time + 86_400), at: time + 86_400)
    #expect(explanation.refusal == .locked(until: nil) && explanation.needsNewEnrollment)
    try record.replace(with: totp(isPending: true))
    #expect(record.failures == 100)
    guard case .enrolled = try record.confirm(code(at: time), at: time) else { throw Unexpected() }
    #expect(record.failures == 0)
    // One that was confirmed elsewhere has no confirmation to wait for.
    record = locked
    try record.replace(with: totp())
    #expect(try record.verify(code(at: time), at: time).isAccepted)
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

  @Test(arguments: HashAlgorithm.allCases) func `codes from an app that ignores parameters are explained`(
    algorithm: HashAlgorithm
  )
    throws
  {
    for digits in [OTPCode.Digits.six, .seven, .eight] {
      let record = try FactorRecord.totp(secret: secret, algorithm: algorithm, digits: digits, at: now)
      for shown in HashAlgorithm.allCases {
        for period in [Int64(30), 60] where shown != algorithm || period != 30 {
          let app = try TOTP(secret: secret, algorithm: shown, digits: digits, period: period)
          // Another explanation, found earlier, would also give this code.
          guard let found = try record.diagnose(app.code(at: now).description, at: now) else { throw Unexpected() }
          let explained = try TOTP(
            secret: secret, algorithm: found.algorithm, digits: found.digits, period: found.period)
          #expect(try explained.code(at: now + found.clockOffset) == app.code(at: now))
        }
      }
    }
    let record = try totp(isPending: true)
    #expect(try record.diagnose(code(at: now - 43_200), at: now)?.clockOffset == -43_200)
    #expect(throws: FactorRecordError.self) { try totp().diagnose("000000", at: now) }
  }
}

private struct Unexpected: Error {}
