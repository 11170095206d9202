import OTP
import Testing

@Suite struct HOTPVerificationTests {
  @Test(arguments: [Int.min, -1, 1001, 1002, Int.max])
  func `look-ahead above 1000 or below 0: typed error`(lookAhead: Int) throws {
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

  @Test(arguments: backends) func `a look-ahead accepts exactly its own counters`(backend: HMACBackend) throws {
    let hotp = try HOTP(secret: .rfc, digits: .eight, backend: backend)
    for counter in 90...130 as ClosedRange<UInt64> {
      let code = try hotp.code(counter: counter).description
      let expected: Verification =
        (100...105).contains(counter) ? .accepted(movingFactor: counter, offset: Int(counter) - 100) : .rejected
      #expect(try hotp.verify(code, counter: 100, lookAhead: 5) == expected)
      #expect(try hotp.verify(code, counter: counter, lookAhead: 0) == .accepted(movingFactor: counter, offset: 0))
    }
  }

  @Test(arguments: backends, [0, 1, 31, 32, 33, 63, 64, 65, 999, 1000])
  func `the last counter of a look-ahead is accepted, and the one after it is not`(
    backend: HMACBackend, lookAhead: Int
  ) throws {
    let hotp = try HOTP(secret: .rfc, digits: .eight, backend: backend)
    let last = 50 + UInt64(lookAhead)
    #expect(
      try hotp.verify(hotp.code(counter: last).description, counter: 50, lookAhead: lookAhead)
        == .accepted(movingFactor: last, offset: lookAhead))
    #expect(
      try hotp.verify(hotp.code(counter: last + 1).description, counter: 50, lookAhead: lookAhead) == .rejected)
  }

  @Test func `a past counter: never matches`() throws {
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

  @Test func `the earliest of two counters with the same code is accepted`() throws {
    let hotp = try HOTP(secret: .rfc)
    #expect(try hotp.verify("709847", counter: 2380, lookAhead: 20) == .accepted(movingFactor: 2386, offset: 6))
    #expect(try hotp.verify("709847", counter: 2387, lookAhead: 20) == .accepted(movingFactor: 2394, offset: 7))
  }

  @Test(arguments: backends, UInt64(0)...12)
  func `counter + look-ahead exceeds 2^64 - 1: stops at the end, no wrap, no trap`(
    backend: HMACBackend, below: UInt64
  ) throws {
    let hotp = try HOTP(secret: .rfc, digits: .eight, backend: backend)
    let counter = UInt64.max - below
    for lookAhead in [0, 1, 10, 11, 1000] {
      let code = try hotp.code(counter: .max).description
      let expected: Verification =
        below <= UInt64(lookAhead) ? .accepted(movingFactor: .max, offset: Int(below)) : .rejected
      let verification = try hotp.verify(code, counter: counter, lookAhead: lookAhead)
      #expect(verification == expected)
      #expect(verification.nextCounter == nil)
      for wrapped in 0...10 as ClosedRange<UInt64> {
        let code = try hotp.code(counter: wrapped).description
        #expect(try hotp.verify(code, counter: counter, lookAhead: lookAhead) == .rejected)
      }
    }
  }

  @Test func `an accepted code no longer matches at the next counter`() throws {
    let hotp = try HOTP(secret: .rfc)
    let verification = try hotp.verify("969429", counter: 0, lookAhead: 5)
    #expect(verification == .accepted(movingFactor: 3, offset: 3))
    let next = try #require(verification.nextCounter)
    #expect(next == 4)
    #expect(try hotp.verify("969429", counter: next, lookAhead: 1000) == .rejected)
  }
}
