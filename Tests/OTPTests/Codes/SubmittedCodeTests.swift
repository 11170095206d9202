import OTP
import Testing

/// The vectors say which texts are no codes.
@Suite struct SubmittedCodeTests {
  @Test(arguments: OTPCode.Digits.allCases)
  func `exactly the expected number of ASCII digits is accepted`(digits: OTPCode.Digits) {
    for count in 0...20 {
      let code = String("90509123456789012345".prefix(count))
      let read = [
        try? SubmittedCode(code, digits: digits), try? SubmittedCode(("<" + code).dropFirst(), digits: digits),
        try? SubmittedCode(utf8: Array(code.utf8).span, digits: digits),
      ]
      #expect(read.allSatisfy { $0?.digits == (count == digits.rawValue ? digits : nil) })
    }
    #expect(failure { () throws(OTPError) in try SubmittedCode("55224") }?.code == .malformedCode)
  }

  @Test func `every byte that is not a digit is refused at every position`() {
    for place in 0..<6 {
      for byte in UInt8.min...UInt8.max {
        var text = Array("123456".utf8)
        text[place] = byte
        let isDigit = (0x30...0x39).contains(byte)
        #expect((failure { () throws(OTPError) in try SubmittedCode(utf8: text.span) } == nil) == isDigit)
      }
    }
  }

  @Test(arguments: ["1", "x", "１", " "])
  func `a string of 1 MB is refused in bounded time`(repeated: String) throws {
    let megabyte = String(repeating: repeated, count: 1 << 20)
    let totp = try TOTP(secret: .rfc)
    // If the work were not bounded, a thousand of these would take a minute in a debug build.
    for _ in 0..<1000 {
      #expect(failure { () throws(OTPError) in try SubmittedCode(megabyte) }?.code == .malformedCode)
      #expect(try totp.verify(megabyte, at: 59, after: nil) == .rejected)
    }
  }

  @Test func `a code read for another number of digits is an error`() throws {
    let seven = try SubmittedCode("1234567", digits: .seven)
    let six = try SubmittedCode("123456")
    let hotp = try HOTP(secret: .rfc)
    let totp = try TOTP(secret: .rfc)
    #expect(failure { () throws(OTPError) in try hotp.verify(seven, counter: 0) }?.code == .mismatchedDigits)
    #expect(failure { () throws(OTPError) in try totp.verify(seven, at: 0, after: nil) }?.code == .mismatchedDigits)
    for codes in [(seven, six, six), (six, seven, six), (six, six, seven)] {
      let error = failure { () throws(OTPError) in
        try hotp.resynchronize(codes.0, codes.1, codes.2, counter: 0)
      }
      #expect(error?.code == .mismatchedDigits)
    }
  }
}
