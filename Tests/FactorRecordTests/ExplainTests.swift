import FactorRecord
import OTP
import Testing

/// What explains a code that was not accepted, to an administrator.
@Suite struct ExplainTests {
  private let now: Int64 = 1_700_000_010
  private let secret: OTPSecret
  private let totp: TOTP

  init() throws {
    secret = try OTPSecret(bytes: [UInt8](1...20))
    totp = try TOTP(secret: secret)
  }

  private func record(algorithm: HashAlgorithm = .sha1, digits: OTPCode.Digits = .six) throws -> FactorRecord {
    var record = try FactorRecord.totp(
      secret: secret, algorithm: algorithm, digits: digits, isPending: false, at: now - 1_000_000)
    _ = try record.verify(
      TOTP(secret: secret, algorithm: algorithm, digits: digits).code(at: now - 90_000).description, at: now - 90_000)
    return record
  }

  private func code(_ steps: Int64) throws -> String { try totp.code(at: now + steps * 30).description }

  @Test(
    arguments: [
      (1, 0, .right, nil), (1, 1, .right, nil), (1, -1, .right, nil), (1, 2, .early, "the app's clock is 1 min early"),
      (1, -2, .late, "the app's clock is 1 min late"), (5, 5, .right, "the app's clock is 2 min 30 s early"),
      (5, -5, .right, "the app's clock is 2 min 30 s late"), (5, 6, .early, "the app's clock is 3 min early"),
      (5, -8, .late, "the app's clock is 4 min late"), (1, -2880, .late, "perhaps the app's clock is 24 h late"),
      (1, 2880, .early, "perhaps the app's clock is 24 h early"), (1, 2900, .wrong, nil), (1, -2900, .wrong, nil),
    ] as [(Int, Int64, FactorRecord.Explanation.Cause, String?)])
  func `an explanation says by how many steps a code is late or early`(
    window: Int, steps: Int64, cause: FactorRecord.Explanation.Cause, text: String?
  ) throws {
    let record = try record()
    let before = record
    let explanation = try record.explain(code(steps), at: now, under: .init(adjacentSteps: window))
    #expect(explanation.cause == cause && record == before && explanation.refusal == nil)
    guard cause != .wrong else { return #expect(explanation.diagnosis == nil && explanation.movingFactor == nil) }
    #expect(explanation.offset == steps && explanation.movingFactor == UInt64(now / 30 + steps))
    #expect(explanation.diagnosis?.description == text ?? "the code is right")
    // Each code that was compared could have been the one that was typed.
    let odds = try #require(explanation.odds)
    #expect(odds <= 1_000_000 / max(1, Int(steps.magnitude)) && odds >= 33)
    #expect(explanation.isGuess == (steps.magnitude == 2880))
  }

  @Test func `a code that was used, or is older than a used one, is explained as replayed`() throws {
    var record = try record()
    #expect(try record.verify(code(0), at: now).isAccepted)
    for steps in [0, -1] as [Int64] { #expect(try record.explain(code(steps), at: now).cause == .replayed) }
    // Before the window, it would be late if it were not spent, too.
    for steps in [-2, -8] as [Int64] { #expect(try record.explain(code(steps), at: now).cause == .late) }
    #expect(try record.explain(code(1), at: now).cause == .right)
  }

  @Test func `an explanation says until when a factor is locked, whatever the code`() throws {
    var record = try record()
    var time = now
    while record.failures < 10 {
      _ = try record.verify(code(-20), at: time)
      time += 60
    }
    time -= 60
    for steps in [0, -8] as [Int64] {
      let explanation = try record.explain(totp.code(at: time + steps * 30).description, at: time)
      #expect(explanation.cause == (steps == 0 ? .right : .late))
      #expect(explanation.refusal == .locked(until: .init(milliseconds: (time + 3600) * 1000)))
    }
    try record.replace(with: .totp(at: time), evenIfActive: true)
    #expect(try record.explain("000000", at: time).refusal == nil && record.refusal(at: time) != nil)
  }

  @Test func `an explanation says how far a token has run ahead, and whether a code was used`() throws {
    let hotp = try HOTP(secret: secret)
    var record = try FactorRecord.hotp(secret: secret, isPending: false, at: now)
    func code(_ counter: UInt64) throws -> String { try hotp.code(counter: counter).description }
    #expect(try record.verify(code(3), at: now).isAccepted)
    let ahead = try record.explain(code(50), at: now)
    #expect(ahead.cause == .early && ahead.movingFactor == 50 && ahead.offset == 46)
    #expect(ahead.diagnosis?.description == "the token is 46 codes ahead")
    #expect(try record.explain(code(4), at: now).odds == 1_000_000 && !ahead.isGuess)
    for counter in [0, 3] as [UInt64] {
      let used = try record.explain(code(counter), at: now)
      #expect(used.cause == .replayed && used.movingFactor == counter && used.offset == Int64(counter) - 4)
    }
    #expect(try record.explain(code(5000), at: now).cause == .wrong)
    #expect(try record.explain("12345", at: now).cause == .malformed)
  }

  @Test func `an explanation says whether a recovery code was used`() throws {
    var (record, codes) = try FactorRecord.recoveryCodes(at: now)
    let explanation = try record.explain(codes[2].lowercased(), at: now)
    #expect(explanation.cause == .right && explanation.movingFactor == 3)
    #expect(try record.verify(codes[2], at: now).isAccepted)
    let used = try record.explain(codes[2], at: now)
    #expect(used.cause == .replayed && used.movingFactor == 3)
    #expect(try record.explain("AAAA-AAAA-AAAA-AAAA-AAAA-AAAA", at: now).cause == .wrong)
    #expect(try record.explain("123456", at: now).cause == .malformed)
    for _ in 0..<4 { _ = try record.verify("aaaa-aaaa-aaaa-aaaa-aaaa-aaaa", at: now) }
    #expect(try record.explain(codes[3], at: now).refusal == .wait(until: .init(milliseconds: (now + 1) * 1000)))
    #expect(try record.explain(codes[3], at: now).lossEnd == nil)
  }

  @Test func `after a loss of changes, codes are spent until the app shows a new one`() throws {
    var record = try record()
    try record.spend(until: now)
    let explanation = try record.explain(code(0), at: now)
    #expect(explanation.cause == .replayed)
    let end = try #require(explanation.lossEnd)
    #expect(end > now && end <= now + 330 && explanation.refusal == nil)
  }
}
