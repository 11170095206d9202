import OTP

/// Generates secrets and assertions for HOTP factors (RFC 4226): hardware tokens.
///
/// The SDK has no such factor. HOTP is enabled unless `.hotp(state: .disabled)` is configured. An administrator imports
/// a token whose secret its manufacturer has set: see `FactorImport.hotp` of the product `MultiFactorOperations`.
public enum HOTPMultiFactorGenerator {
  /// Generates a new secret to enroll, for a token or an app that accepts one: SHA-1, six digits, counter 0.
  ///
  /// - Parameter session: A session from ``MultiFactorUser/session()``.
  /// - Throws: ``AuthError`` with code `operationNotAllowed`, `invalidMultiFactorSession`, `sessionExpired` or
  ///   `internalError`.
  public static func generateSecret(with session: MultiFactorSession) async throws -> EnrollmentSecret {
    try EnrollmentSecret(.hotp, for: session)
  }

  /// The claim that a token's code completes an enrollment.
  public static func assertionForEnrollment(
    with secret: EnrollmentSecret, oneTimePassword: String
  ) -> MultiFactorAssertion {
    MultiFactorAssertion(content: .enrollment(secret, code: oneTimePassword, .hotp))
  }

  /// The claim that a code belongs to an enrolled factor, at its counter or shortly after it.
  public static func assertionForSignIn(
    withEnrollmentID enrollmentID: String, oneTimePassword: String
  ) -> MultiFactorAssertion {
    MultiFactorAssertion(content: .codes([oneTimePassword], count: 1...1, factor: enrollmentID, .hotp))
  }

  /// The claim that two or three consecutive codes belong to a factor whose token has run far ahead (RFC 4226, section
  /// 7.4).
  ///
  /// - Parameters:
  ///   - enrollmentID: The `uid` of the factor.
  ///   - oneTimePasswords: Two or three consecutive codes, in the order in which the token showed them.
  public static func assertionForResynchronization(
    withEnrollmentID enrollmentID: String, oneTimePasswords: [String]
  ) -> MultiFactorAssertion {
    MultiFactorAssertion(content: .codes(oneTimePasswords, count: 2...3, factor: enrollmentID, .hotp))
  }
}
