import OTP
import Testing

@Suite struct WindowTests {
  @Test(arguments: [Int.min, -11, -1, 11, 12, 256, Int.max])
  func `a window above 10 or below 0 is a typed error`(side: Int) {
    #expect(failure { () throws(OTPError) in try VerificationWindow(behind: side, ahead: 1) }?.code == .invalidWindow)
    #expect(failure { () throws(OTPError) in try VerificationWindow(behind: 1, ahead: side) }?.code == .invalidWindow)
    #expect(failure { () throws(OTPError) in try VerificationWindow.adjacent(side) }?.code == .invalidWindow)
  }

  @Test(arguments: 0...10) func `each side may be 0 to 10 intervals`(side: Int) throws {
    let window = try VerificationWindow(behind: side, ahead: 10 - side)
    #expect(window.behind == side && window.ahead == 10 - side)
    #expect(try VerificationWindow.adjacent(side) == VerificationWindow(behind: side, ahead: side))
  }

  @Test func `the default window is one interval on each side`() throws {
    #expect(try VerificationWindow.standard == .adjacent(1))
    let totp = try TOTP(secret: .rfc)
    for (step, isTaken) in [(3, false), (4, true), (5, true), (6, true), (7, false)] as [(UInt64, Bool)] {
      let code = try totp.code(forStep: step).description
      #expect(try totp.verify(code, at: 5 * 30, after: nil).isAccepted == isTaken)
    }
  }
}
