import OTP
import Testing

@Suite struct TOTPResynchronizationTests {
  private static let now: UInt64 = 50_000
  private static let time = Int64(now) * 30 + 17

  private func codes(_ totp: TOTP, from step: UInt64) throws -> [SubmittedCode] {
    try (0..<3).map { try SubmittedCode(totp.code(forStep: step &+ $0).description, digits: totp.digits) }
  }

  @Test(arguments: backends)
  func `two or three consecutive codes are found up to 1,500 steps either way, and no further`(
    backend: HMACBackend
  ) throws {
    let totp = try TOTP(secret: .rfc, digits: .eight, backend: backend)
    for offset in [-1501, -1500, -1499, -700, -11, -1, 0, 1, 10, 1497, 1498, 1499, 1500] {
      let first = UInt64(Int(Self.now) + offset)
      let codes = try codes(totp, from: first)
      for count in [2, 3] {
        let last = offset + count - 1
        let expected: Verification =
          offset >= -1500 && last <= 1500 ? .accepted(movingFactor: first + UInt64(count) - 1, offset: last) : .rejected
        let third = count == 3 ? codes[2] : nil
        #expect(try totp.resynchronize(codes[0], codes[1], third, at: Self.time, after: nil) == expected)
        let narrow: Verification = abs(offset) <= 5 && abs(last) <= 5 ? expected : .rejected
        #expect(try totp.resynchronize(codes[0], codes[1], third, at: Self.time, steps: 5, after: nil) == narrow)
      }
    }
  }

  @Test func `a code at or before the last accepted step never takes part in a match`() throws {
    let totp = try TOTP(secret: .rfc, digits: .eight)
    let codes = try codes(totp, from: 49_000)
    for last in [48_000, 48_499, 48_500, 48_999] as [UInt64] {
      let pair = try totp.resynchronize(codes[0], codes[1], at: Self.time, after: last)
      #expect(pair == .accepted(movingFactor: 49_001, offset: -999))
    }
    // The first code, the second, the third was accepted before; or one much later, even beyond the steps looked at.
    for last in [49_000, 49_001, 49_002, 49_003, 51_500, 60_000, .max] as [UInt64] {
      #expect(try totp.resynchronize(codes[0], codes[1], at: Self.time, after: last) == .replayed, "\(last)")
      #expect(try totp.resynchronize(codes[0], codes[1], codes[2], at: Self.time, after: last) == .replayed, "\(last)")
    }
  }

  @Test func `resynchronization near step 0 and 2^64-1 leaves out the steps beyond them`() throws {
    let totp = try TOTP(secret: .rfc, digits: .eight, period: 1, t0: .min)
    let first = try codes(totp, from: 0)
    #expect(
      try totp.resynchronize(first[0], first[1], at: .min + 3, after: nil) == .accepted(movingFactor: 1, offset: -2))
    #expect(
      try totp.resynchronize(first[1], first[2], at: .min + 3, after: 0) == .accepted(movingFactor: 2, offset: -1))
    let last = try codes(totp, from: .max - 1)
    #expect(try totp.resynchronize(last[0], last[1], at: .max, after: nil) == .accepted(movingFactor: .max, offset: 0))
    // 2^64-1 and, if steps wrapped, 0.
    #expect(try totp.resynchronize(last[1], last[2], at: .max, after: nil) == .rejected)
    #expect(try totp.resynchronize(last[1], last[2], at: .min, after: nil) == .rejected)
  }

  @Test func `an argument out of range is a typed error`() throws {
    let totp = try TOTP(secret: .rfc, digits: .eight)
    let codes = try codes(totp, from: Self.now)
    for steps in [Int.min, -1, 1501, .max] {
      let error = failure { () throws(OTPError) in
        try totp.resynchronize(codes[0], codes[1], at: Self.time, steps: steps, after: nil)
      }
      #expect(error?.code == .invalidWindow)
    }
    let early = failure { () throws(OTPError) in try totp.resynchronize(codes[0], codes[1], at: -1, after: nil) }
    #expect(early?.code == .timeBeforeT0)
    let short = try SubmittedCode("123456")
    for pair in [(codes[0], short), (short, codes[0])] {
      let error = failure { () throws(OTPError) in
        try totp.resynchronize(pair.0, pair.1, at: Self.time, after: nil)
      }
      #expect(error?.code == .mismatchedDigits)
    }
  }
}
