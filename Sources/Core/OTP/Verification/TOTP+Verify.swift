extension TOTP {
  /// Verifies a submitted code over a window of steps (RFC 6238, section 5.2).
  ///
  /// The whole window is computed whatever the code is. If several steps after the last accepted one have this code,
  /// the latest of them is accepted. The earlier ones cannot be accepted after that, so the same digits are not
  /// accepted again in that window.
  ///
  /// - Parameters:
  ///   - code: The submitted code, read with this verifier's number of digits.
  ///   - unixTime: The verifier's time: seconds since 1970-01-01 00:00 UTC, not before t0.
  ///   - window: The steps to accept besides the current one.
  ///   - lastAcceptedStep: The step of the last acceptance with this secret, enrollment included, or `nil` before the
  ///     first. Steps at or before it cannot be accepted again.
  /// - Returns: `.accepted` with the step to store, `.replayed` or `.rejected`.
  /// - Throws: `OTPError` with code `timeBeforeT0`, `mismatchedDigits` or `cryptographyFailed`.
  ///
  /// Timing: depends only on the window and on how many of its steps exist: not on the secret, the expected codes, the
  /// submitted digits, or which step matched.
  public func verify(
    _ code: SubmittedCode, at unixTime: Int64, window: VerificationWindow = .standard,
    after lastAcceptedStep: UInt64?
  ) throws(OTPError) -> Verification {
    let task = try VerificationTask(
      code, digits: digits, at: unixTime, timeStep, window: window, after: lastAcceptedStep)
    return try key.withMaterial { (material) throws(OTPError) in try task.run(with: material) }
  }

  /// Verifies a submitted code with a secret that is used for nothing else, such as one just read from a store.
  ///
  /// It does what ``init(secret:algorithm:digits:period:t0:backend:)`` and
  /// ``verify(_:at:window:after:)-(SubmittedCode,_,_,_)`` do, and allocates no memory (except, with the backend `evp`,
  /// what OpenSSL allocates). To verify more than once with a secret, keep a ``TOTP``.
  ///
  /// - Parameters:
  ///   - code: The submitted code, which also sets the number of digits.
  ///   - secret: The shared secret's bytes, 1 or more. The caller wipes them.
  ///   - algorithm: The hash function.
  ///   - timeStep: The step length and the time of step 0.
  ///   - unixTime: The verifier's time: seconds since 1970-01-01 00:00 UTC, not before t0.
  ///   - window: The steps to accept besides the current one.
  ///   - lastAcceptedStep: The step of the last acceptance with this secret, or `nil` before the first.
  ///   - backend: The HMAC implementation; `nil` means ``HMACBackend/standard``.
  /// - Returns: `.accepted` with the step to store, `.replayed` or `.rejected`.
  /// - Throws: `OTPError` with code `emptySecret`, `timeBeforeT0`, `backendUnavailable` or `cryptographyFailed`.
  ///
  /// Timing: as for a verifier that is kept, and also depends on the secret's length.
  public static func verify(
    _ code: SubmittedCode, secret: Span<UInt8>, algorithm: HashAlgorithm = .sha1, timeStep: TimeStep,
    at unixTime: Int64, window: VerificationWindow = .standard, after lastAcceptedStep: UInt64?,
    backend: HMACBackend? = nil
  ) throws(OTPError) -> Verification {
    guard !secret.isEmpty else { throw OTPError(.emptySecret) }
    let task = try VerificationTask(
      code, digits: code.digits, at: unixTime, timeStep, window: window, after: lastAcceptedStep)
    return try task.run(withSecret: secret, algorithm, backend)
  }

  /// Verifies a code given as text; `.rejected` if it is not well-formed.
  ///
  /// Otherwise like ``verify(_:at:window:after:)-(SubmittedCode,_,_,_)``, which describes the parameters.
  ///
  /// - Throws: `OTPError` with code `timeBeforeT0` or `cryptographyFailed`.
  ///
  /// Timing: a malformed text is rejected at once, which reveals nothing that its sender does not know. Otherwise as
  /// for a `SubmittedCode`.
  @inlinable public func verify(
    _ code: some StringProtocol, at unixTime: Int64, window: VerificationWindow = .standard,
    after lastAcceptedStep: UInt64?
  ) throws(OTPError) -> Verification {
    guard let code = try? SubmittedCode(code, digits: digits) else {
      // A time before t0 is the caller's mistake, whatever the code is.
      _ = try timeStep.number(at: unixTime)
      return .rejected
    }
    return try verify(code, at: unixTime, window: window, after: lastAcceptedStep)
  }
}

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
