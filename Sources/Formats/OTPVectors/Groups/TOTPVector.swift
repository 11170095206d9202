import OTP

/// A test of the step and the code at a time.
struct TOTPVector: BackendVectorTest {
  private let group: TimedCodeSettings
  private let time: Int64
  private let step: UInt64
  private let code: String

  init(_ fields: inout Fields, in group: TimedCodeSettings) throws(LocatedError) {
    self.group = group
    time = try fields.decimal("time")
    step = try fields.decimal("step")
    code = try fields.code(group.codes.digits)
  }

  func run(on backend: HMACBackend) throws(Mismatch) {
    let totp = try group.totp(on: backend)
    let step = try Mismatch.ifThrown { () throws(OTPError) in try totp.timeStep.number(at: time) }
    try Mismatch.unlessEqual("step", step, self.step)
    let code = try Mismatch.ifThrown { () throws(OTPError) in try totp.code(at: time) }
    try Mismatch.unlessSame("code", code.description, self.code)
  }
}
