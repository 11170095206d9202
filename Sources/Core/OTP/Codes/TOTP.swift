/// Time-based one-time passwords (RFC 6238) of one secret.
///
/// Creating one prepares the secret for HMAC: keep it, or its ``key``, for as long as it is in use. It has no state;
/// the caller keeps the last accepted step and passes it as `after`.
public struct TOTP: Sendable {
  /// The prepared secret.
  public let key: HMACKey
  /// How many digits a code has.
  public let digits: OTPCode.Digits
  /// The step length and the time of step 0.
  public let timeStep: TimeStep

  /// Codes of a secret.
  ///
  /// - Parameters:
  ///   - secret: The shared secret, of any length.
  ///   - algorithm: The hash function.
  ///   - digits: How many digits a code has.
  ///   - period: The length of a step in seconds, 1 or more.
  ///   - t0: The Unix time at which step 0 begins.
  ///   - backend: The HMAC implementation; `nil` means ``HMACBackend/standard``.
  /// - Throws: `OTPError` with code `invalidPeriod`, `backendUnavailable` or `cryptographyFailed`.
  ///
  /// Timing: depends on the secret's length, the algorithm and the backend.
  public init(
    secret: OTPSecret, algorithm: HashAlgorithm = .sha1, digits: OTPCode.Digits = .six, period: Int64 = 30,
    t0: Int64 = 0, backend: HMACBackend? = nil
  ) throws(OTPError) {
    let timeStep = try TimeStep(period: period, t0: t0)
    self.init(
      key: try HMACKey(secret, algorithm: algorithm, backend: backend), digits: digits, timeStep: timeStep)
  }

  /// Codes of a secret that is already prepared.
  public init(key: HMACKey, digits: OTPCode.Digits = .six, timeStep: TimeStep) {
    self.key = key
    self.digits = digits
    self.timeStep = timeStep
  }

  /// The code at a time.
  ///
  /// - Parameter unixTime: Seconds since 1970-01-01 00:00 UTC, not before t0.
  /// - Throws: `OTPError` with code `timeBeforeT0` or `cryptographyFailed`.
  ///
  /// Timing: does not depend on the secret or the code.
  public func code(at unixTime: Int64) throws(OTPError) -> OTPCode {
    try code(forStep: timeStep.number(at: unixTime))
  }

  /// The code of a step.
  ///
  /// - Throws: `OTPError` with code `cryptographyFailed`.
  ///
  /// Timing: does not depend on the secret or the code.
  public func code(forStep step: UInt64) throws(OTPError) -> OTPCode {
    try key.withMaterial { (material) throws(OTPError) in try material.code(of: step, digits: digits) }
  }
}

extension TOTP {
  /// Codes as a key URI describes them.
  ///
  /// - Throws: `OTPError` with code `invalidType` if the URI is not for TOTP, `backendUnavailable` or
  ///   `cryptographyFailed`.
  public init(_ uri: OTPAuthURI, backend: HMACBackend? = nil) throws(OTPError) {
    guard case .totp(let period) = uri.kind else { throw OTPError(.invalidType, part: .type) }
    try self.init(
      secret: uri.secret, algorithm: uri.algorithm, digits: uri.digits, period: period, backend: backend)
  }
}
