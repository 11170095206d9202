/// One verification, made ready: a submitted code, and the counters of which it may be the code.
///
/// Small, since a batch keeps as many of them on the stack as lanes wait.
package struct VerificationTask: Sendable {
  let code: SubmittedCode
  /// The first of the consecutive counters whose codes are computed.
  let first: UInt64
  private let storedCount: UInt16
  /// How many of the first counters cannot be accepted again.
  private let spentCount: UInt16
  /// The place of the current step, or of the expected counter.
  private let currentIndex: UInt16
  /// Whether, of several counters with the code, the latest is taken, or else the earliest.
  private let takesLatest: Bool

  /// - Parameters:
  ///   - counters: 1...1001 of them.
  ///   - current: The current step, or the expected counter: one of the counters.
  ///   - after: Counters up to this one cannot be accepted again.
  ///   - takesLatest: Whether, of several counters with the code, the latest is taken, or else the earliest.
  init(code: SubmittedCode, counters: ClosedRange<UInt64>, current: UInt64, after: UInt64?, takesLatest: Bool) {
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

  /// Looks at all counters of a key.
  ///
  /// Timing: depends on the number of counters, and on how many of them can be accepted, alone.
  func run(with material: KeyMaterial) throws(OTPError) -> Verification {
    var scan = newScan
    try unsafe material.scanTruncatedValues(from: first, count: count) { index, value in
      take(value, at: index, into: &scan)
    }
    return verification(of: scan)
  }

  /// A scan that has seen nothing yet.
  var newScan: MatchScan { MatchScan(for: code, takesLatest: takesLatest) }

  /// Takes the truncated value of the counter at a place.
  func take(_ value: UInt32, at index: Int, into scan: inout MatchScan) {
    scan.take(scan.matches(value), at: index, isLive: index >= Int(spentCount))
  }

  /// What a whole scan found.
  func verification(of scan: MatchScan) -> Verification {
    switch scan.outcome {
    case .live(let index): .accepted(step: first + UInt64(index), offset: index - Int(currentIndex))
    case .spent: .replayed
    case .none: .rejected
    }
  }
}

extension HMACKey {
  /// Verifies a task that was made ready, with the parameters of a verifier that nobody keeps.
  package func run(_ task: VerificationTask) throws(OTPError) -> Verification {
    try unsafe withMaterial { (material) throws(OTPError) in try unsafe task.run(with: material) }
  }
}

extension VerificationTask {
  /// Verifies with a secret that is used once. Only the backend `evp` allocates memory.
  ///
  /// - Throws: `OTPError` with code `emptySecret`, `backendUnavailable` or `cryptographyFailed`.
  package func run(
    withSecret secret: Span<UInt8>, _ algorithm: HashAlgorithm, _ backend: HMACBackend? = nil
  ) throws(OTPError) -> Verification {
    guard !secret.isEmpty else { throw OTPError(.emptySecret) }
    return try unsafe HMACKey.withTemporaryMaterial(of: secret, algorithm, backend) { (material) throws(OTPError) in
      try unsafe run(with: material)
    }
  }
}
