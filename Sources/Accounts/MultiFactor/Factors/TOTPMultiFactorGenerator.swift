import Foundation
import OTP

/// Generates secrets and assertions for TOTP factors (RFC 6238).
public enum TOTPMultiFactorGenerator {
  /// Generates a new secret to enroll: SHA-1, six digits, 30 seconds, which every authenticator app supports.
  ///
  /// Nothing is stored until the enrollment is completed with a code.
  ///
  /// - Parameter session: A session from ``MultiFactorUser/session()``.
  /// - Throws: ``AuthError`` with code `operationNotAllowed`, `invalidMultiFactorSession`, `sessionExpired` or
  ///   `internalError`.
  public static func generateSecret(with session: MultiFactorSession) async throws -> TOTPSecret {
    try EnrollmentSecret(.totp, for: session)
  }

  /// The same for an app whose step 0 begins at `t0` of the server's clock. (`otpauth://` URIs cannot say that.)
  @_spi(Emulator) public static func generateSecret(
    with session: MultiFactorSession, t0: Int64
  ) async throws -> TOTPSecret {
    try EnrollmentSecret(.totp, for: session, TimeStep(t0: t0))
  }

  /// The claim that a code from an authenticator app completes an enrollment.
  ///
  /// - Parameters:
  ///   - secret: The secret that the app was given.
  ///   - oneTimePassword: What the user typed: spaces, hyphens and digits of any script are understood.
  public static func assertionForEnrollment(
    with secret: TOTPSecret, oneTimePassword: String
  ) -> MultiFactorAssertion {
    MultiFactorAssertion(content: .enrollment(secret, code: oneTimePassword, .totp))
  }

  /// The claim that a code belongs to an enrolled factor.
  ///
  /// - Parameters:
  ///   - enrollmentID: The `uid` of the factor that the user chose from the resolver's hints.
  ///   - oneTimePassword: What the user typed: spaces, hyphens and digits of any script are understood.
  public static func assertionForSignIn(
    withEnrollmentID enrollmentID: String, oneTimePassword: String
  ) -> MultiFactorAssertion {
    MultiFactorAssertion(content: .codes([oneTimePassword], count: 1...1, factor: enrollmentID, .totp))
  }

  /// The claim that two or three consecutive codes belong to a factor whose clock is off by more than the window: a
  /// hardware token that has drifted over the years. Its codes are searched for up to 1,500 steps either way (see
  /// `resynchronizationSteps` of `.totp`).
  ///
  /// The sign-in records the factor's drift, so that a single code is enough from then on. The SDK has no such
  /// assertion.
  ///
  /// - Parameters:
  ///   - enrollmentID: The `uid` of the factor.
  ///   - oneTimePasswords: Two or three consecutive, unused codes, in the order in which the token showed them,
  ///     submitted while it shows the last of them or a moment later.
  public static func assertionForResynchronization(
    withEnrollmentID enrollmentID: String, oneTimePasswords: [String]
  ) -> MultiFactorAssertion {
    MultiFactorAssertion(content: .codes(oneTimePasswords, count: 2...3, factor: enrollmentID, .totp))
  }
}
