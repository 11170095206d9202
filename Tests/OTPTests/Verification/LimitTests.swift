import OTP
import Testing

/// What a caller may ask of a verification, and what an answer says.
@Suite struct LimitTests {
  @Test(arguments: [Int.min, -1, 1001, 1002, Int.max])
  func `a look-ahead above 1000 or below 0 is a typed error`(lookAhead: Int) throws {
    let hotp = try HOTP(secret: .rfc)
    let code = try SubmittedCode("755224")
    let errors = [
      failure { () throws(OTPError) in try hotp.verify(code, counter: 0, lookAhead: lookAhead) },
      failure { () throws(OTPError) in try hotp.resynchronize(code, code, counter: 0, lookAhead: lookAhead) },
      // The error is about the call, whatever was typed.
      failure { () throws(OTPError) in try hotp.verify("not a code", counter: 0, lookAhead: lookAhead) },
    ]
    #expect(errors.allSatisfy { $0?.code == .invalidLookAhead })
  }

  @Test(arguments: [Int.min, -11, -1, 11, 12, 256, Int.max])
  func `a window above 10 or below 0 is a typed error`(side: Int) {
    #expect(failure { () throws(OTPError) in try VerificationWindow(behind: side, ahead: 1) }?.code == .invalidWindow)
    #expect(failure { () throws(OTPError) in try VerificationWindow(behind: 1, ahead: side) }?.code == .invalidWindow)
    #expect(failure { () throws(OTPError) in try VerificationWindow.adjacent(side) }?.code == .invalidWindow)
  }

  @Test(arguments: 0...10) func `each side may be 0 to 10 intervals, and is 1 by default`(side: Int) throws {
    let window = try VerificationWindow(behind: side, ahead: 10 - side)
    #expect(window.behind == side && window.ahead == 10 - side)
    #expect(try VerificationWindow.adjacent(side) == VerificationWindow(behind: side, ahead: side))
    #expect(try VerificationWindow.standard == .adjacent(1))
  }

  @Test func `only an acceptance counts as accepted and has a next counter`() {
    #expect(Verification.accepted(movingFactor: 5, offset: 0).isAccepted)
    #expect(Verification.accepted(movingFactor: 5, offset: 0).nextCounter == 6)
    #expect(Verification.accepted(movingFactor: .max, offset: 0).nextCounter == nil)
    #expect(!Verification.replayed.isAccepted && !Verification.rejected.isAccepted)
    #expect(Verification.replayed.nextCounter == nil && Verification.rejected.nextCounter == nil)
  }
}
