import OTP
import Testing

@Suite struct DigitsTests {
  @Test(arguments: [Int.min, -6, -1, 0, 1, 5, 9, 10, 62, 262, 1 << 32 | 6, Int.max])
  func `digits outside 6...8 are refused with a typed error`(count: Int) {
    #expect(failure { () throws(OTPError) in try OTPCode.Digits(count: count) }?.code == .invalidDigits)
  }

  @Test(arguments: 6...8) func `6, 7 and 8 digits are accepted`(count: Int) throws {
    #expect(try OTPCode.Digits(count: count).rawValue == count)
  }

  @Test func `codes are equal when their digits are`() throws {
    let hotp = try HOTP(secret: .rfc)
    #expect(try hotp.code(counter: 2386) == hotp.code(counter: 2394))
    #expect(try hotp.code(counter: 0) != hotp.code(counter: 1))
    // 629694 and 00629694.
    #expect(try HOTP(key: hotp.key, digits: .eight).code(counter: 102) != hotp.code(counter: 102))
  }
}
