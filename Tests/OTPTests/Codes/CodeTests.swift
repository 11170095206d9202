@_spi(Diagnostics) import OTP
import Testing

/// What the vectors do not say about codes, which they compute on every backend.
@Suite struct CodeTests {
  @Test func `a tag is truncated as in the example of RFC 4226, and one of fewer than 20 bytes is not`() {
    let tag = "1f8698690e02ca16618550ef7f19da8e945b555a".hexBytes
    #expect(DynamicTruncation.truncate(tag.span) == 0x50EF_7F19)
    for length in 0..<20 { #expect(DynamicTruncation.truncate([UInt8](repeating: 0xFF, count: length).span) == nil) }
  }

  @Test(arguments: [Int.min, -6, -1, 0, 1, 5, 6, 7, 8, 9, 10, 62, 262, 1 << 32 | 6, Int.max])
  func `a code has 6, 7 or 8 digits`(count: Int) {
    let error = failure { () throws(OTPError) in try OTPCode.Digits(count: count) }
    #expect(error?.code == (6...8 ~= count ? nil : .invalidDigits))
  }

  @Test func `codes are equal when their digits are`() throws {
    let hotp = try HOTP(secret: .rfc)
    #expect(try hotp.code(counter: 2386) == hotp.code(counter: 2394))
    #expect(try hotp.code(counter: 0) != hotp.code(counter: 1))
    // 629694 and 00629694.
    #expect(try HOTP(key: hotp.key, digits: .eight).code(counter: 102) != hotp.code(counter: 102))
  }

  @Test func `codes of a key URI are those of its secret, algorithm, digits and period`() throws {
    let uri = try OTPAuthURI(
      .totp(period: 60), secret: .rfc, account: "a", algorithm: .sha256, digits: .eight)
    let totp = try TOTP(secret: .rfc, algorithm: .sha256, digits: .eight, period: 60)
    #expect(try TOTP(uri).code(at: 1_234_567_890) == totp.code(at: 1_234_567_890))
    let counted = try OTPAuthURI(.hotp(counter: 3), secret: .rfc, account: "a", digits: .seven)
    #expect(try HOTP(counted).code(counter: 3).description == "6969429")
    #expect(failure { () throws(OTPError) in try HOTP(uri) }?.code == .invalidType)
    #expect(failure { () throws(OTPError) in try TOTP(counted) }?.part == .type)
  }

  // Counts around every kernel's width, and around the size of the chunks that the engine works in.
  @Test(arguments: implementations) func `bulk codes equal the codes computed one by one`(
    implementation: Implementation
  ) throws {
    let secret = try OTPSecret.rfc(for: implementation.algorithm)
    let hotp = try HOTP(secret: secret, algorithm: implementation.algorithm, backend: implementation.backend)
    let reference = try HOTP(secret: secret, algorithm: implementation.algorithm, backend: .evp)
    for count in [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 257, 300] as [UInt64] {
      for first in [0, (1 << 32) - 7, .max - count + 1] as [UInt64] {
        let counters = first...(first + (count - 1))
        let expected = try counters.map { try reference.code(counter: $0) }
        #expect(try hotp.codes(counters: counters) == expected)
      }
    }
  }

  @Test func `the codes of steps are the codes at their times`() throws {
    let totp = try TOTP(secret: .rfc, digits: .eight)
    #expect(try totp.codes(steps: 1...3) == [59, 60, 90].map { try totp.code(at: $0) })
    let appended = try [OTPCode](capacity: 3) { output in try totp.codes(steps: 1...3, into: &output) }
    #expect(try appended == totp.codes(steps: 1...3))
  }

  @Test func `an output that is too short is an error, and nothing is written to it`() throws {
    let hotp = try HOTP(secret: .rfc)
    let codes = [OTPCode](capacity: 9) { output in
      for counters in [0...9, 0...UInt64.max] {
        let error = failure { () throws(OTPError) in try hotp.codes(counters: counters, into: &output) }
        #expect(error?.code == .outputTooShort)
      }
    }
    #expect(codes.isEmpty)
  }

  @Test(arguments: [0...(1 << 24), 0...UInt64.max, 5...UInt64.max])
  func `more codes than an array can hold are an error`(counters: ClosedRange<UInt64>) throws {
    let hotp = try HOTP(secret: .rfc)
    let error = failure { () throws(OTPError) in try hotp.codes(counters: counters) }
    #expect(error?.code == .tooManyCodes)
  }
}
