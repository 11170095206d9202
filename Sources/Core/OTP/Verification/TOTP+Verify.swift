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
  public func verify(
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
