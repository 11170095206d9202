/// One prepared verification: a submitted code, and the counters whose code it may be.
///
/// It is small, since a batch keeps one on the stack for each waiting lane.
package struct VerificationTask: Sendable {
  let code: SubmittedCode
  /// The first of the consecutive counters whose codes are computed.
  let first: UInt64
  private let storedCount: UInt16
  /// How many counters, from the first on, cannot be accepted again.
  private let spentCount: UInt16
  /// The index of the current step or the expected counter.
  private let currentIndex: UInt16
  /// Whether, of several counters with the code, the latest is accepted instead of the earliest.
  private let takesLatest: Bool

  /// The task for a window around the step of a time. Of several live steps with the code, the latest is accepted, so
  /// that the same digits are not accepted again in that window (RFC 6238, section 5.2).
  ///
  /// - Throws: `OTPError` with code `mismatchedDigits` or `timeBeforeT0`.
  package init(
    _ code: SubmittedCode, digits: OTPCode.Digits, at unixTime: Int64, _ timeStep: TimeStep,
    window: VerificationWindow, after lastAcceptedStep: UInt64?
  ) throws(OTPError) {
    guard code.digits == digits else { throw OTPError(.mismatchedDigits) }
    let current = try timeStep.number(at: unixTime)
    self.init(
      code, counters: window.steps(around: current), current: current, after: lastAcceptedStep, takesLatest: true)
  }

  /// The task for a look-ahead. Of several counters with the code, the earliest is accepted, so that the stored counter
  /// does not get ahead of the token's.
  ///
  /// - Throws: `OTPError` with code `invalidLookAhead` or `mismatchedDigits`.
  package init(
    _ code: SubmittedCode, digits: OTPCode.Digits, counter: UInt64, lookAhead: Int
  ) throws(OTPError) {
    try HOTP.check(lookAhead: lookAhead)
    guard code.digits == digits else { throw OTPError(.mismatchedDigits) }
    let last = counter + UInt64(HOTP.counterCount(from: counter, lookAhead: lookAhead) - 1)
    self.init(code, counters: counter...last, current: counter, after: nil, takesLatest: false)
  }

  /// - Parameters:
  ///   - counters: 1...1001 counters.
  ///   - current: One of the counters.
  ///   - after: Counters up to this one cannot be accepted again.
  private init(
    _ code: SubmittedCode, counters: ClosedRange<UInt64>, current: UInt64, after: UInt64?, takesLatest: Bool
  ) {
    self.code = code
    self.takesLatest = takesLatest
    first = counters.lowerBound
    storedCount = UInt16(counters.upperBound - counters.lowerBound) + 1
    spentCount =
      if let after, after >= counters.lowerBound {
        UInt16(min(after, counters.upperBound) - counters.lowerBound) + 1
      } else {
        0
      }
    currentIndex = UInt16(current - counters.lowerBound)
  }

  /// The number of counters: 1...1001.
  var count: Int { Int(storedCount) }

  /// Verifies with a key, over all counters.
  ///
  /// Timing: depends only on the number of counters, and on how many of them can be accepted.
  package func run(with material: KeyMaterial) throws(OTPError) -> Verification {
    var scan = newScan
    try material.scanTruncatedValues(from: first, count: count) { index, value in compare(value, at: index, into: &scan)
    }
    return verification(of: scan)
  }

  /// The same with a secret that is used once. Only the backend `evp` allocates memory.
  ///
  /// - Throws: `OTPError` with code `emptySecret`, `backendUnavailable` or `cryptographyFailed`.
  package func run(
    withSecret secret: Span<UInt8>, _ algorithm: HashAlgorithm, _ backend: HMACBackend? = nil
  ) throws(OTPError) -> Verification {
    try KeyMaterial.withTemporary(of: secret, algorithm, backend) { (material) throws(OTPError) in
      try run(with: material)
    }
  }

  /// The same and, unless it is accepted, another verification with the same secret: `nil` if that one failed.
  package func run(
    withSecret secret: Span<UInt8>, _ algorithm: HashAlgorithm, orElse other: VerificationTask?
  ) throws(OTPError) -> (Verification, other: Verification?) {
    try KeyMaterial.withTemporary(of: secret, algorithm, nil) { (material) throws(OTPError) in
      let result = try run(with: material)
      if case .accepted = result { return (result, nil) }
      return (result, try? other?.run(with: material))
    }
  }

  /// A scan that has seen nothing yet.
  var newScan: MatchScan { MatchScan(for: code, takesLatest: takesLatest) }

  /// Takes the truncated value of the counter at an index.
  func compare(_ value: UInt32, at index: Int, into scan: inout MatchScan) {
    scan.record(scan.matches(value), at: index, isLive: index >= Int(spentCount))
  }

  /// The outcome of a complete scan.
  func verification(of scan: MatchScan) -> Verification {
    switch scan.outcome {
    case .live(let index): .accepted(movingFactor: first + UInt64(index), offset: index - Int(currentIndex))
    case .spent: .replayed
    case .none: .rejected
    }
  }
}
