import OTP

/// A test of verifying a code with a look-ahead.
struct VerifyHOTPVector: BackendVectorTest {
  private enum Result: String, CaseIterable {
    case accepted, rejected
  }

  private let group: CodeSettings
  private let code: String
  private let counter: UInt64
  private let lookAhead: Int
  private let verification: Verification

  init(_ fields: inout Fields, in group: CodeSettings) throws(LocatedError) {
    self.group = group
    counter = try fields.decimal("counter")
    lookAhead = try fields.number("lookAhead", in: 0...1000)
    switch try fields.answer(as: Result.self) {
    case .accepted:
      code = try fields.code(group.digits)
      let matched: UInt64 = try fields.decimal("matched")
      // Negative if `matched` is a past counter. No verifier accepts one, so the test fails, as it should.
      verification = .accepted(movingFactor: matched, offset: Int(truncatingIfNeeded: matched &- counter))
    case .rejected:
      code = try fields.text("code")
      verification = .rejected
    }
  }

  func run(on backend: HMACBackend) throws(Mismatch) {
    let hotp = try group.hotp(on: backend)
    let verification = try Mismatch.ifThrown { () throws(OTPError) in
      try hotp.verify(code, counter: counter, lookAhead: lookAhead)
    }
    try Mismatch.unlessEqual("result", verification.words, self.verification.words)
  }
}
