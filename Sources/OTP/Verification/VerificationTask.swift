/// One verification, made ready: a submitted code, and the counters of which it may be the code.
package struct VerificationTask: Sendable {
  let code: SubmittedCode
  /// All counters whose codes are computed.
  let counters: ClosedRange<UInt64>
  /// The current step, or the expected counter.
  let current: UInt64
  /// Counters up to this one cannot be accepted again.
  let after: UInt64?

  /// The number of counters: 1...1001.
  var count: Int { Int(counters.upperBound - counters.lowerBound) + 1 }

  /// Looks at all counters of a key.
  ///
  /// Timing: depends on the number of counters, and on how many of them are after ``after``, alone.
  func run(with material: KeyMaterial) throws(OTPError) -> Verification {
    var scan = MatchScan(for: code)
    try unsafe material.scanTruncatedValues(from: counters.lowerBound, count: count) { index, value in
      take(value, at: index, into: &scan)
    }
    return verification(of: scan)
  }

  /// Takes the truncated value of the counter at a place.
  func take(_ value: UInt32, at index: Int, into scan: inout MatchScan) {
    let counter = counters.lowerBound + UInt64(index)
    let isLive = if let after { counter > after } else { true }
    scan.take(scan.matches(value), at: index, isLive: isLive)
  }

  /// What a whole scan found.
  func verification(of scan: MatchScan) -> Verification {
    switch scan.outcome {
    case .live(let index):
      let counter = counters.lowerBound + UInt64(index)
      return .accepted(step: counter, offset: index - Int(current - counters.lowerBound))
    case .spent: return .replayed
    case .none: return .rejected
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
