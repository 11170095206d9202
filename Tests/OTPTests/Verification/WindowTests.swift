import OTP
import Testing

@Suite struct WindowTests {
  @Test(arguments: [Int.min, -11, -1, 11, 12, 256, Int.max])
  func `window above 10 or below 0: typed error at construction`(side: Int) {
    #expect(failure { () throws(OTPError) in try VerificationWindow(behind: side, ahead: 1) }?.code == .invalidWindow)
    #expect(failure { () throws(OTPError) in try VerificationWindow(behind: 1, ahead: side) }?.code == .invalidWindow)
    #expect(failure { () throws(OTPError) in try VerificationWindow.adjacent(side) }?.code == .invalidWindow)
  }

  @Test(arguments: 0...10) func `each side may be 0 to 10 intervals`(side: Int) throws {
    let window = try VerificationWindow(behind: side, ahead: 10 - side)
    #expect(window.behind == side && window.ahead == 10 - side)
    #expect(try VerificationWindow.adjacent(side) == VerificationWindow(behind: side, ahead: side))
  }

  @Test func `the default is one interval on each side`() throws {
    #expect(try VerificationWindow.standard == .adjacent(1))
    let totp = try TOTP(secret: .rfc)
    for (step, isTaken) in [(3, false), (4, true), (5, true), (6, true), (7, false)] as [(UInt64, Bool)] {
      let code = try totp.code(forStep: step).description
      #expect(try totp.verify(code, at: 5 * 30, after: nil).isAccepted == isTaken)
    }
  }

  @Test(arguments: backends) func `a window accepts its own steps and no others`(backend: HMACBackend) throws {
    let totp = try TOTP(secret: .rfc, digits: .eight, backend: backend)
    let window = try VerificationWindow(behind: 3, ahead: 2)
    for step in 90...110 as ClosedRange<UInt64> {
      let offset = Int(step) - 100
      let expected: Verification = (-3...2).contains(offset) ? .accepted(movingFactor: step, offset: offset) : .rejected
      #expect(
        try totp.verify(totp.code(forStep: step).description, at: 100 * 30 + 29, window: window, after: nil) == expected
      )
    }
  }

  @Test(arguments: backends)
  func `window reaches below step 0: the missing steps are left out`(backend: HMACBackend) throws {
    let totp = try TOTP(secret: .rfc, digits: .eight, t0: 1000, backend: backend)
    for current in 0..<10 as Range<UInt64> {
      let time = 1000 + Int64(current) * 30
      for step in 0...20 as ClosedRange<UInt64> {
        let code = try totp.code(forStep: step).description
        let expected: Verification =
          step <= current + 10 ? .accepted(movingFactor: step, offset: Int(step) - Int(current)) : .rejected
        #expect(try totp.verify(code, at: time, window: .adjacent(10), after: nil) == expected)
      }
      // The steps that would be there if steps wrapped.
      for step in UInt64.max - 10...UInt64.max {
        let code = try totp.code(forStep: step).description
        #expect(try totp.verify(code, at: time, window: .adjacent(10), after: nil) == .rejected)
      }
    }
  }

  @Test(arguments: backends, UInt64(0)...10)
  func `step + window exceeds 2^64 - 1: stops at the end, no wrap, no trap`(backend: HMACBackend, below: UInt64) throws
  {
    // With a period of 1 and the smallest t0, the last second is the last step.
    let totp = try TOTP(secret: .rfc, digits: .eight, period: 1, t0: .min, backend: backend)
    let time = Int64.max - Int64(below)
    let current = UInt64.max - below
    for step in UInt64.max - 30...UInt64.max {
      let code = try totp.code(forStep: step).description
      let offset = step >= current ? Int(step - current) : -Int(current - step)
      let expected: Verification = offset >= -10 ? .accepted(movingFactor: step, offset: offset) : .rejected
      #expect(try totp.verify(code, at: time, window: .adjacent(10), after: nil) == expected)
      #expect(try totp.verify(code, at: time, window: .adjacent(10), after: .max).isAccepted == false)
    }
    for step in 0...10 as ClosedRange<UInt64> {
      let code = try totp.code(forStep: step).description
      #expect(try totp.verify(code, at: time, window: .adjacent(10), after: nil) == .rejected)
    }
  }
}
