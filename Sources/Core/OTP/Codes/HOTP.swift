/// Counter-based one-time passwords (RFC 4226) of one secret.
///
/// Creating one prepares the secret for HMAC: keep it, or its ``key``, for as long as it is in use. It has no state;
/// the caller keeps the next expected counter.
public struct HOTP: Sendable {
  /// The prepared secret.
  public let key: HMACKey
  /// How many digits a code has.
  public let digits: OTPCode.Digits

  /// Codes of a secret.
  ///
  /// - Parameters:
  ///   - secret: The shared secret, of any length.
  ///   - algorithm: The hash function. RFC 4226 has only SHA-1; some tokens use others.
  ///   - digits: How many digits a code has.
  ///   - backend: The HMAC implementation; `nil` means ``HMACBackend/standard``.
  /// - Throws: `OTPError` with code `backendUnavailable` or `cryptographyFailed`.
  ///
  /// Timing: depends on the secret's length, the algorithm and the backend.
  public init(
    secret: OTPSecret, algorithm: HashAlgorithm = .sha1, digits: OTPCode.Digits = .six, backend: HMACBackend? = nil
  ) throws(OTPError) {
    self.init(key: try HMACKey(secret, algorithm: algorithm, backend: backend), digits: digits)
  }

  /// Codes of a secret that is already prepared.
  public init(key: HMACKey, digits: OTPCode.Digits = .six) {
    self.key = key
    self.digits = digits
  }

  /// The code of a counter, 0...2^64-1.
  ///
  /// - Throws: `OTPError` with code `cryptographyFailed`.
  ///
  /// Timing: does not depend on the secret or the code.
  public func code(counter: UInt64) throws(OTPError) -> OTPCode {
    try key.withMaterial { (material) throws(OTPError) in try material.code(of: counter, digits: digits) }
  }
}

extension HOTP {
  /// Codes as a key URI describes them. The caller keeps the URI's counter.
  ///
  /// - Throws: `OTPError` with code `invalidType` if the URI is not for HOTP, `backendUnavailable` or
  ///   `cryptographyFailed`.
  public init(_ uri: OTPAuthURI, backend: HMACBackend? = nil) throws(OTPError) {
    guard case .hotp = uri.kind else { throw OTPError(.invalidType, part: .type) }
    try self.init(secret: uri.secret, algorithm: uri.algorithm, digits: uri.digits, backend: backend)
  }
}
