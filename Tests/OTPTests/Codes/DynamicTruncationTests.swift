import OTP
import Testing

@Suite struct DynamicTruncationTests {
  @Test func `the example of RFC 4226, section 5.4, is truncated as the RFC says`() {
    let tag = "1f8698690e02ca16618550ef7f19da8e945b555a".hexBytes
    #expect(DynamicTruncation.truncate(tag.span) == 0x50EF_7F19)
  }

  /// The first counter at which the RFC's key gives each offset, 0...15.
  static let firstCounters: [UInt64] = [0, 20, 25, 10, 2, 9, 5, 12, 28, 14, 7, 1, 4, 32, 3, 34]

  @Test(arguments: implementations)
  func `every backend truncates correctly at each of the 16 offsets`(implementation: Implementation) throws {
    let secret = try OTPSecret.rfc
    let key = try HMACKey(secret, algorithm: implementation.algorithm, backend: implementation.backend)
    var seen: [UInt8: UInt64] = [:]
    for counter in 0..<100 as Range<UInt64> {
      let tag = try key.tag(for: counter.message.span)
      let offset = try #require(tag.last) & 0xF
      seen[offset] = seen[offset] ?? counter
      #expect(DynamicTruncation.truncate(tag.span) == ReferenceOTP.truncate(tag))
      let expected = ReferenceOTP.code(implementation.algorithm, secret: secret.bytes, counter: counter, digits: 8)
      #expect(try HOTP(key: key, digits: .eight).code(counter: counter).description == expected)
    }
    #expect(seen.count == 16)
    if implementation.algorithm == .sha1 {
      #expect(seen.sorted { $0.key < $1.key }.map(\.value) == DynamicTruncationTests.firstCounters)
    }
  }

  @Test(arguments: 0..<20) func `a tag of fewer than 20 bytes has no code`(length: Int) {
    #expect(DynamicTruncation.truncate([UInt8](repeating: 0xFF, count: length).span) == nil)
  }
}

extension UInt64 {
  /// The counter as HOTP's message (RFC 4226, section 5.1).
  var message: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> UInt64(56 - 8 * $0)) } }
}
