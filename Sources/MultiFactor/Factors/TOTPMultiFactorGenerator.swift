/// Makes secrets and assertions of factors whose codes go by time (RFC 6238).
public enum TOTPMultiFactorGenerator {
  /// A new secret to enrol: SHA-1, six digits, 30 seconds, which every authenticator app takes.
  ///
  /// Nothing is stored before the enrolment is completed with a code.
  ///
  /// - Parameter session: A session from ``MultiFactorUser/session()``.
  /// - Throws: ``AuthError`` with code `operationNotAllowed`, `invalidMultiFactorSession`, `sessionExpired` or
  ///   `internalError`.
  public static func generateSecret(with session: MultiFactorSession) async throws -> TOTPSecret {
    TOTPSecret(context: session.context, content: try EnrollmentSecret.random(.totp, for: session))
  }

  /// The claim that a code from an authenticator app completes an enrolment.
  ///
  /// - Parameters:
  ///   - secret: The secret that the app was given.
  ///   - oneTimePassword: What the user typed: spaces, hyphens and digits of any script are understood.
  public static func assertionForEnrollment(
    with secret: TOTPSecret, oneTimePassword: String
  ) -> MultiFactorAssertion {
    MultiFactorAssertion(content: .enrollment(secret.content, code: oneTimePassword, secret.context))
  }

  /// The claim that a code proves an enrolled factor.
  ///
  /// - Parameters:
  ///   - enrollmentID: The `uid` of the factor that the user chose from the resolver's hints.
  ///   - oneTimePassword: What the user typed: spaces, hyphens and digits of any script are understood.
  public static func assertionForSignIn(
    withEnrollmentID enrollmentID: String, oneTimePassword: String
  ) -> MultiFactorAssertion {
    MultiFactorAssertion(content: .code(oneTimePassword, factor: enrollmentID, .totp))
  }

  /// The claim that two or three codes in a row prove a factor whose clock is off by more than the window: a hardware
  /// token, which drifts with the years. Its codes are looked for 1,500 steps either way.
  ///
  /// The sign-in sets the factor's clock by them: from then on a single code is enough. The SDK has no such assertion.
  ///
  /// - Parameters:
  ///   - enrollmentID: The `uid` of the factor.
  ///   - oneTimePasswords: Two or three consecutive codes, in the order in which the token showed them, none of which was
  ///     used before, handed in while the token shows the last of them or a moment later.
  public static func assertionForResynchronization(
    withEnrollmentID enrollmentID: String, oneTimePasswords: [String]
  ) -> MultiFactorAssertion {
    MultiFactorAssertion(content: .codesInARow(oneTimePasswords, factor: enrollmentID, .totp))
  }
}
