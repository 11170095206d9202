/// Makes secrets and assertions of factors whose codes go by counter (RFC 4226): hardware tokens.
///
/// The SDK has no such factor. They are on unless `allowsHOTP` is false. A token whose secret its maker has set is imported
/// by an administrator: see ``FactorImport/hotp(secret:counter:algorithm:digits:displayName:)``.
public enum HOTPMultiFactorGenerator {
  /// A new secret to enrol, for a token or an app that takes one: SHA-1, six digits, counter 0.
  ///
  /// - Parameter session: A session from ``MultiFactorUser/session()``.
  /// - Throws: ``AuthError`` with code `operationNotAllowed`, `invalidMultiFactorSession`, `sessionExpired` or
  ///   `internalError`.
  public static func generateSecret(with session: MultiFactorSession) async throws -> HOTPSecret {
    try session.check(.enrollment)
    guard session.auth.configuration.allows(.hotp) else {
      throw session.auth.disabled(HOTPMultiFactorID, session.state)
    }
    return HOTPSecret(content: try EnrollmentSecret.random(.hotp, for: session))
  }

  /// The claim that a token's code completes an enrolment.
  public static func assertionForEnrollment(
    with secret: HOTPSecret, oneTimePassword: String
  ) -> MultiFactorAssertion {
    MultiFactorAssertion(content: .enrollment(secret.content, code: oneTimePassword))
  }

  /// The claim that a code proves an enrolled factor, at its counter or a few after it.
  public static func assertionForSignIn(
    withEnrollmentID enrollmentID: String, oneTimePassword: String
  ) -> MultiFactorAssertion {
    MultiFactorAssertion(content: .oneTimePassword(uid: enrollmentID, kind: .hotp, code: oneTimePassword))
  }

  /// The claim that two or three codes in a row prove a factor whose token has run far ahead (RFC 4226, section 7.4).
  ///
  /// - Parameters:
  ///   - enrollmentID: The `uid` of the factor.
  ///   - oneTimePasswords: Two or three consecutive codes, in the order in which the token showed them.
  public static func assertionForResynchronization(
    withEnrollmentID enrollmentID: String, oneTimePasswords: [String]
  ) -> MultiFactorAssertion {
    MultiFactorAssertion(content: .resynchronization(uid: enrollmentID, codes: oneTimePasswords))
  }
}
