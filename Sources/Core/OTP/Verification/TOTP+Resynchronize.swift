extension TOTP {
  /// The most steps before or after the current one for a resynchronization: 12½ hours with steps of 30 seconds.
  public static var maximumResynchronizationSteps: Int { 1500 }

  /// Resynchronizes a token whose clock has drifted, by two or three consecutive codes (RFC 6238, section 6).
  ///
  /// A wide search for only one code would make guessing easy. Several consecutive codes match by chance only as rarely
  /// as a guess of all their digits. Every code must belong to a step after the last accepted one, so that a code that
  /// was already used does not help in guessing another.
  ///
  /// - Parameters:
  ///   - first: The first code, as typed.
  ///   - second: The code of the step after it.
  ///   - third: The code of the step after that, or `nil` to use only two.
  ///   - unixTime: The verifier's time: seconds since 1970-01-01 00:00 UTC, not before t0.
  ///   - steps: How many steps before or after the current one the codes may be, 0...1500. Steps that do not exist are
  ///     left out.
  ///   - lastAcceptedStep: The step of the last acceptance with this secret, or `nil` before the first.
  /// - Returns: `.accepted` with the step of the last code given, to be stored, and its offset from the current step:
  ///   how many steps the token's clock is ahead. `.replayed` if the codes are consecutive, but not all after the last
  ///   accepted step. Otherwise `.rejected`. Of several matches, the earliest counts.
  /// - Throws: `OTPError` with code `invalidWindow`, `timeBeforeT0`, `mismatchedDigits` or `cryptographyFailed`.
  ///
  /// Timing: depends only on the number of steps, on how many of them exist and can be accepted, and on the number of
  /// codes.
  public func resynchronize(
    _ first: SubmittedCode, _ second: SubmittedCode, _ third: SubmittedCode? = nil, at unixTime: Int64,
    steps: Int = maximumResynchronizationSteps, after lastAcceptedStep: UInt64?
  ) throws(OTPError) -> Verification {
    guard 0...TOTP.maximumResynchronizationSteps ~= steps else { throw OTPError(.invalidWindow) }
    var scan = try RunScan(first, second, third, digits: digits)
    let current = try timeStep.number(at: unixTime)
    let lowest = current - min(current, UInt64(steps))
    let highest = current + min(.max - current, UInt64(steps))
    // The first of the codes must be after the last accepted step, not only the last of them.
    let spent = lastAcceptedStep.flatMap { $0 >= lowest ? Int(min($0, highest) - lowest) + scan.followers : nil } ?? -1
    try key.withMaterial { (material) throws(OTPError) in
      try material.scanTruncatedValues(from: lowest, count: Int(highest - lowest) + 1) { index, value in
        scan.record(value, at: index, isLive: index > spent)
      }
    }
    switch scan.outcome {
    case .live(let index):
      return .accepted(movingFactor: lowest + UInt64(index), offset: index - Int(current - lowest))
    case .spent: return .replayed
    case .none: return .rejected
    }
  }
}
