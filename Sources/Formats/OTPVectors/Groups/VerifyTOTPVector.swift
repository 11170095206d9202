import OTP

/// A test of verifying a code over a window of steps.
struct VerifyTOTPVector: BackendVectorTest {
  private enum Result: String, CaseIterable {
    case accepted, replayed, rejected
  }

  private let group: TimedCodeSettings
  private let code: String
  private let time: Int64
  private let behind: Int
  private let ahead: Int
  private let lastAcceptedStep: UInt64?
  private let verification: Verification

  init(_ fields: inout Fields, in group: TimedCodeSettings) throws(LocatedError) {
    self.group = group
    time = try fields.decimal("time")
    behind = try fields.number("behind", in: 0...10)
    ahead = try fields.number("ahead", in: 0...10)
    lastAcceptedStep = try fields.isNull("after") ? nil : fields.decimal("after")
    switch try fields.answer(as: Result.self) {
    case .accepted:
      code = try fields.code(group.codes.digits)
      verification = .accepted(
        movingFactor: try fields.decimal("step"), offset: try fields.number("offset", in: -10...10))
      // RFC 6238 leaves open which of two steps with the same code is accepted; this engine accepts the latest.
      if fields.has("otherStep") { let _: UInt64 = try fields.decimal("otherStep") }
    case .replayed:
      code = try fields.text("code")
      verification = .replayed
    case .rejected:
      code = try fields.text("code")
      verification = .rejected
    }
  }

  func run(on backend: HMACBackend) throws(Mismatch) {
    let totp = try group.totp(on: backend)
    let verification = try Mismatch.ifThrown { () throws(OTPError) in
      try totp.verify(
        code, at: time, window: VerificationWindow(behind: behind, ahead: ahead), after: lastAcceptedStep)
    }
    try Mismatch.unlessEqual("result", verification.words, self.verification.words)
  }
}

extension Verification {
  /// The result in the words of the command-line tool.
  var words: String {
    switch self {
    case .accepted(let step, let offset): "accepted step=\(step) offset=\(offset)"
    case .replayed: "replayed"
    case .rejected: "rejected"
    }
  }
}
