import OTP
import Testing

@Suite struct HOTPTests {
  static let appendixD = [
    "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
  ]

  @Test(arguments: backends)
  func `every backend computes the codes of RFC 4226, Appendix D`(backend: HMACBackend) throws {
    let hotp = try HOTP(secret: .rfc, backend: backend)
    #expect(try (0..<10).map { try hotp.code(counter: $0).description } == HOTPTests.appendixD)
  }

  private static let largeCounters: [(UInt64, String?)] = [
    (9_007_199_254_740_991, nil), (9_007_199_254_740_992, nil), (9_007_199_254_740_993, nil),
    (9_223_372_036_854_775_807, "181742"), (9_223_372_036_854_775_808, nil), (.max, "094451"),
  ]

  @Test(arguments: backends, largeCounters)
  func `codes are exact for counters above 2^53, up to 2^64-1`(backend: HMACBackend, row: (UInt64, String?)) throws {
    let (counter, published) = row
    let code = try HOTP(secret: .rfc, backend: backend).code(counter: counter).description
    #expect(code == ReferenceOTP.code(.sha1, secret: try OTPSecret.rfc.bytes, counter: counter, digits: 6))
    if let published { #expect(code == published) }
  }
}
