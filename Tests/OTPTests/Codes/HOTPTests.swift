import OTP
import Testing

@Suite struct HOTPTests {
  static let appendixD = [
    "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
  ]

  @Test(arguments: backends)
  func `RFC 4226 Appendix D on every backend`(backend: HMACBackend) throws {
    let hotp = try HOTP(secret: .rfc, backend: backend)
    #expect(try (0..<10).map { try hotp.code(counter: $0).description } == HOTPTests.appendixD)
  }

  @Test(arguments: backends, [349_495, 1_290_532, 1_552_630] as [UInt64])
  func `the code is 000000: accepted like any other`(backend: HMACBackend, counter: UInt64) throws {
    let hotp = try HOTP(secret: .rfc, backend: backend)
    #expect(try hotp.code(counter: counter).description == "000000")
    #expect(try hotp.verify("000000", counter: counter, lookAhead: 0) == .accepted(movingFactor: counter, offset: 0))
    let totp = try TOTP(key: hotp.key, timeStep: TimeStep(period: 1))
    #expect(try totp.verify("000000", at: Int64(counter), after: nil) == .accepted(movingFactor: counter, offset: 0))
  }

  private static let largeCounters: [(UInt64, String?)] = [
    (9_007_199_254_740_991, nil), (9_007_199_254_740_992, nil), (9_007_199_254_740_993, nil),
    (9_223_372_036_854_775_807, "181742"), (9_223_372_036_854_775_808, nil), (.max, "094451"),
  ]

  @Test(arguments: backends, largeCounters)
  func `counter 2^64-1, 2^63-1, above 2^53: exact`(backend: HMACBackend, row: (UInt64, String?)) throws {
    let (counter, published) = row
    let code = try HOTP(secret: .rfc, backend: backend).code(counter: counter).description
    #expect(code == ReferenceOTP.code(.sha1, secret: try OTPSecret.rfc.bytes, counter: counter, digits: 6))
    if let published { #expect(code == published) }
  }

  @Test func `counters on either side of 2^53 have different codes`() throws {
    let hotp = try HOTP(secret: .rfc, digits: .eight)
    let codes = try (9_007_199_254_740_990...9_007_199_254_740_995).map { try hotp.code(counter: $0).description }
    #expect(Set(codes).count == codes.count)
  }

  @Test(arguments: OTPCode.Digits.allCases)
  func `a shorter code is the end of a longer one`(digits: OTPCode.Digits) throws {
    let long = try HOTP(secret: .rfc, digits: .eight).code(counter: 7).description
    let code = try HOTP(secret: .rfc, digits: digits).code(counter: 7)
    #expect(code.digits == digits)
    #expect(code.description == String(long.suffix(digits.rawValue)))
  }
}
