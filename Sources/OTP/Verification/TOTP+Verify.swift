extension TOTP {
  /// Verifies a submitted code over a window of adjacent intervals (RFC 6238, section 5.2).
  ///
  /// The whole window is computed whatever the code is. Where several steps of the window share the code, the
  /// earliest step that is live, that is, after the last accepted one, is accepted.
  ///
  /// - Parameters:
  ///   - code: What the person typed, read for this verifier's number of digits.
  ///   - unixTime: The verifier's time: seconds since 1970-01-01 00:00 UTC, not before t0.
  ///   - window: The intervals to take beside the current one.
  ///   - lastAcceptedStep: The step of the last acceptance with this secret, enrolment included, or `nil` before the
  ///     first. Steps at or before it cannot be accepted again.
  /// - Returns: `.accepted` with the step to store, `.replayed` or `.rejected`.
  /// - Throws: `OTPError` with code `timeBeforeT0`, `mismatchedDigits` or `cryptographyFailed`.
  ///
  /// Timing: depends on the window, and on how much of it exists, alone: not on the secret, the expected codes, the
  /// submitted digits, or which step matched.
  public func verify(
    _ code: SubmittedCode, at unixTime: Int64, window: VerificationWindow = .standard,
    after lastAcceptedStep: UInt64?
  ) throws(OTPError) -> Verification {
    guard code.digits == digits else { throw OTPError(.mismatchedDigits) }
    let current = try timeStep.number(at: unixTime)
    let steps = window.steps(around: current)

    var scan = MatchScan(for: code)
    try key.scanTruncatedValues(from: steps.lowerBound, count: Int(steps.upperBound - steps.lowerBound) + 1) {
      index, value in
      let step = steps.lowerBound + UInt64(index)
      let isLive = if let lastAcceptedStep { step > lastAcceptedStep } else { true }
      scan.take(scan.matches(value), at: index, isLive: isLive)
    }

    switch scan.outcome {
    case .live(let index):
      return .accepted(step: steps.lowerBound + UInt64(index), offset: index - Int(current - steps.lowerBound))
    case .spent: return .replayed
    case .none: return .rejected
    }
  }

  /// Verifies what a person typed: `.rejected` where it is not a code at all.
  ///
  /// Otherwise as ``verify(_:at:window:after:)-(SubmittedCode,_,_,_)``, which has the parameters.
  ///
  /// - Throws: `OTPError` with code `timeBeforeT0` or `cryptographyFailed`.
  ///
  /// Timing: a text that is not a code is refused at once, which tells its sender nothing new. Otherwise as for a
  /// `SubmittedCode`.
  public func verify(
    _ code: some StringProtocol, at unixTime: Int64, window: VerificationWindow = .standard,
    after lastAcceptedStep: UInt64?
  ) throws(OTPError) -> Verification {
    guard let code = try? SubmittedCode(code, digits: digits) else {
      // A time that cannot be is the caller's mistake, whatever the code.
      _ = try timeStep.number(at: unixTime)
      return .rejected
    }
    return try verify(code, at: unixTime, window: window, after: lastAcceptedStep)
  }
}
