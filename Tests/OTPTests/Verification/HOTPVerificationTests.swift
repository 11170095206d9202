import OTP
import Testing

@Suite struct HOTPVerificationTests {
  @Test(arguments: [Int.min, -1, 1001, 1002, Int.max])
  func `a look-ahead above 1000 or below 0 is a typed error`(lookAhead: Int) throws {
    let hotp = try HOTP(secret: .rfc)
    let code = try SubmittedCode("755224")
    #expect(
      failure { () throws(OTPError) in try hotp.verify(code, counter: 0, lookAhead: lookAhead) }?.code
        == .invalidLookAhead)
    // The error is about the call, whatever was typed.
    for text in ["755224", "", "not a code"] {
      #expect(
        failure { () throws(OTPError) in try hotp.verify(text, counter: 0, lookAhead: lookAhead) }?.code
          == .invalidLookAhead)
    }
    #expect(
      failure { () throws(OTPError) in
        try hotp.resynchronize(code, code, counter: 0, lookAhead: lookAhead)
      }?.code == .invalidLookAhead)
  }

  @Test(arguments: backends) func `a look-ahead accepts exactly the counters within it`(backend: HMACBackend) throws {
    let hotp = try HOTP(secret: .rfc, digits: .eight, backend: backend)
    for counter in 90...130 as ClosedRange<UInt64> {
      let code = try hotp.code(counter: counter).description
      let expected: Verification =
        (100...105).contains(counter) ? .accepted(movingFactor: counter, offset: Int(counter) - 100) : .rejected
      #expect(try hotp.verify(code, counter: 100, lookAhead: 5) == expected)
      #expect(try hotp.verify(code, counter: counter, lookAhead: 0) == .accepted(movingFactor: counter, offset: 0))
    }
  }

  @Test func `a past counter never matches`() throws {
    let hotp = try HOTP(secret: .rfc, digits: .eight)
    for past in 0..<200 as Range<UInt64> {
      #expect(try hotp.verify(hotp.code(counter: past).description, counter: 200, lookAhead: 100) == .rejected)
    }
    let code = try SubmittedCode(hotp.code(counter: 198).description, digits: .eight)
    let next = try SubmittedCode(hotp.code(counter: 199).description, digits: .eight)
    let current = try SubmittedCode(hotp.code(counter: 200).description, digits: .eight)
    #expect(try hotp.resynchronize(code, next, counter: 200) == .rejected)
    #expect(try hotp.resynchronize(next, current, counter: 200) == .rejected)
    #expect(try hotp.resynchronize(code, next, current, counter: 200) == .rejected)
  }
}
