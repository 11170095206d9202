import OTP
import SharedFixtures
import Testing

@Suite struct TOTPVerificationProperties {
  @Test(arguments: 0..<8 as Range<UInt64>)
  func `window verification agrees with a naive loop`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var tally: [String: Int] = [:]
    for round in 0..<400 {
      let (algorithm, digits) = (random.algorithm(), random.digits())
      let (period, t0, time) = timing(&random)
      let totp = try TOTP(
        secret: random.secret(), algorithm: algorithm, digits: digits, period: period, t0: t0,
        backend: random.pick(backends))
      let window = try VerificationWindow(
        behind: Int.random(in: 0...10, using: &random), ahead: Int.random(in: 0...10, using: &random))
      let comment: Comment = "seed \(seed), round \(round)"

      // In integers wide enough for any difference (RFC 6238, section 4.2).
      let elapsed = Int128(time) - Int128(t0)
      guard elapsed >= 0 else {
        let code = try SubmittedCode(String(repeating: "1", count: digits.rawValue), digits: digits)
        #expect(
          failure { () throws(OTPError) in try totp.verify(code, at: time, after: nil) }?.code == .timeBeforeT0, comment
        )
        continue
      }
      let current = UInt64(elapsed / Int128(period))
      // A step in the window or just beyond it, if it exists.
      let target = Int128(current) + Int128(Int.random(in: -13...13, using: &random))
      let step = UInt64(max(0, min(target, Int128(UInt64.max))))
      let code = random.chance(10) ? nil : try totp.code(forStep: step).description
      let text = code ?? String((0..<digits.rawValue).map { _ in random.pick("0123456789") })
      let after: UInt64? =
        switch Int.random(in: 0..<4, using: &random) {
        case 0: nil
        case 1: step
        case 2: step == 0 ? nil : step - 1
        default: UInt64(max(0, min(target + Int128(Int.random(in: -12...12, using: &random)), Int128(UInt64.max))))
        }

      let expected = try naiveVerify(totp, text, current: current, window: window, after: after)
      #expect(try totp.verify(text, at: time, window: window, after: after) == expected, comment)
      let submitted = try SubmittedCode(text, digits: digits)
      #expect(try totp.verify(submitted, at: time, window: window, after: after) == expected, comment)
      tally[name(expected), default: 0] += 1
    }
    // The inputs reach every outcome.
    #expect((tally["accepted"] ?? 0) > 50 && (tally["replayed"] ?? 0) > 20 && (tally["rejected"] ?? 0) > 20)
  }

  /// Steps near 0, near 2^64-1, and any.
  private func timing(_ random: inout SeededGenerator) -> (period: Int64, t0: Int64, time: Int64) {
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      let (period, t0) = (Int64.random(in: 1...60, using: &random), Int64.random(in: -1000...1000, using: &random))
      return (period, t0, t0 + Int64.random(in: 0...(period * 15), using: &random))
    case 1: return (1, .min, .max - Int64.random(in: 0...15, using: &random))
    case 2: return (random.period(), random.time(), random.time())
    default: return (random.pick([30, 60]), 0, Int64.random(in: 1_600_000_000...2_000_000_000, using: &random))
    }
  }

  private func naiveVerify(
    _ totp: TOTP, _ text: String, current: UInt64, window: VerificationWindow, after: UInt64?
  ) throws -> Verification {
    var sawSpent = false
    for offset in (-window.behind...window.ahead).reversed() {
      let wide = Int128(current) + Int128(offset)
      guard let step = UInt64(exactly: wide) else { continue }
      guard try totp.code(forStep: step).description == text else { continue }
      if let after, step <= after {
        sawSpent = true
      } else {
        return .accepted(movingFactor: step, offset: offset)
      }
    }
    return sawSpent ? .replayed : .rejected
  }

  private func name(_ verification: Verification) -> String {
    switch verification {
    case .accepted: "accepted"
    case .replayed: "replayed"
    case .rejected: "rejected"
    }
  }
}
