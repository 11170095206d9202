import OTP
import Testing

/// What the vectors do not say about steps: errors, and how long a step lasts.
@Suite struct TimeStepTests {
  @Test func `steps of over two minutes are long`() throws {
    #expect(try [1, 30, 120, 121, .max].map { try TimeStep(period: $0).isLong } == [false, false, false, true, true])
  }

  @Test(
    arguments: [
      (0, -1), (0, -29), (0, -30), (0, -31), (0, .min), (1, 0), (100, 99), (100, -100), (.max, .max - 1), (.max, 0),
      (.max, .min), (.min + 1, .min),
    ] as [(Int64, Int64)])
  func `a time before t0 is a typed error`(t0: Int64, time: Int64) throws {
    for period in [1, 30, Int64.max] {
      let steps = try TimeStep(period: period, t0: t0)
      #expect(failure { () throws(OTPError) in try steps.number(at: time) }?.code == .timeBeforeT0)
      #expect(failure { () throws(OTPError) in try steps.secondsRemaining(at: time) }?.code == .timeBeforeT0)
      let totp = TOTP(key: try HMACKey(.rfc, algorithm: .sha1), timeStep: steps)
      #expect(failure { () throws(OTPError) in try totp.code(at: time) }?.code == .timeBeforeT0)
      let code = try SubmittedCode("123456")
      #expect(failure { () throws(OTPError) in try totp.verify(code, at: time, after: nil) }?.code == .timeBeforeT0)
    }
  }

  @Test(
    arguments: [
      (1, .min, .max, .max), (1, .min, .min, 0), (1, .max, .max, 0), (1, -1, .max, 1 << 63), (.max, .min, .max, 2),
      (.max, .min, -1, 1), (.max, .min, -3, 0), (.max, .min, -2, 0), (2, .min, .max, (1 << 63) - 1),
      (30, .min, -1, 307_445_734_561_825_860), (30, -60, -31, 0), (30, -60, -30, 1), (30, -60, 0, 2), (7, -100, -87, 1),
    ] as [(Int64, Int64, Int64, UInt64)])
  func `the remaining seconds lead to the next step`(period: Int64, t0: Int64, time: Int64, step: UInt64) throws {
    let steps = try TimeStep(period: period, t0: t0)
    #expect(try steps.number(at: time) == step)
    let remaining = try steps.secondsRemaining(at: time)
    #expect(remaining >= 1 && remaining <= period)
    let (next, passed) = time.addingReportingOverflow(remaining)
    if !passed {
      #expect(try steps.number(at: next) == step + 1)
      #expect(try steps.number(at: next - 1) == step)
    }
  }

  @Test(arguments: [0, -1, -30, .min, .min + 1] as [Int64])
  func `a period of 0 or less is a typed error`(period: Int64) throws {
    #expect(failure { () throws(OTPError) in try TimeStep(period: period) }?.code == .invalidPeriod)
    let secret = try OTPSecret.rfc
    #expect(failure { () throws(OTPError) in try TOTP(secret: secret, period: period) }?.code == .invalidPeriod)
    let error = failure { () throws(OTPError) in
      try OTPAuthURI(.totp(period: period), secret: secret, account: "a")
    }
    #expect(error?.code == .invalidPeriod && error?.part == .period)
  }
}
