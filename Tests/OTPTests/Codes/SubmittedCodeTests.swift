import OTP
import Testing

@Suite struct SubmittedCodeTests {
  @Test(arguments: OTPCode.Digits.allCases)
  func `exactly the expected number of ASCII digits is accepted`(digits: OTPCode.Digits) throws {
    for code in ["0", "9", "5"].map({ String(repeating: $0, count: digits.rawValue) }) {
      #expect(try SubmittedCode(code, digits: digits).digits == digits)
      #expect(try SubmittedCode(utf8: Array(code.utf8).span, digits: digits).digits == digits)
    }
  }

  @Test func `a code without its leading zero is refused`() throws {
    let hotp = try HOTP(secret: .rfc)
    let counter = try #require(try (0..<100).first { try hotp.code(counter: $0).description.hasPrefix("0") })
    let code = try hotp.code(counter: counter).description
    #expect(try hotp.verify(code, counter: counter).isAccepted)
    #expect(try hotp.verify(String(code.dropFirst()), counter: counter) == .rejected)
    #expect(failure { () throws(OTPError) in try SubmittedCode("55224") }?.code == .malformedCode)
  }

  @Test(arguments: [
    "", "1", "12345", "1234567", " 123456", "123456 ", "123 456", "12345 ", "+12345", "-12345", "+123456", "1_2345",
    "12.345", "1e5000", "0x1234", "12345\0", "\u{0}123456", "123456\0", "123456\n", "\t23456", "１２３４５６", "٠١٢٣٤٥",
    "१२३४५६", "𝟏𝟐𝟑𝟒𝟓𝟔", "12345①", "12345²", "123456\u{301}", "1\u{200B}23456", "12345/", "12345:", "/:/:/:", "ABCDEF",
    "12345\u{80}", "½½½", "½23456", "１３",
  ])
  func `spaces, signs, underscores, NUL, and full-width or other digits are refused`(text: String) throws {
    #expect(failure { () throws(OTPError) in try SubmittedCode(text) }?.code == .malformedCode)
    #expect(failure { () throws(OTPError) in try SubmittedCode(Substring(text)) }?.code == .malformedCode)
    #expect(failure { () throws(OTPError) in try SubmittedCode(utf8: Array(text.utf8).span) }?.code == .malformedCode)
    #expect(try HOTP(secret: .rfc).verify(text, counter: 0) == .rejected)
    #expect(try TOTP(secret: .rfc).verify(text, at: 59, after: nil) == .rejected)
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
