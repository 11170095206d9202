import OTP

/// The result of a completed sign-in or enrollment: the user's handle.
///
/// Only this module creates one, after everything required was verified.
public struct AuthDataResult: Sendable {
  /// The signed-in user.
  public let user: User
  /// What the host passed at the sign-in; empty after an enrollment.
  public let payload: [UInt8]
  /// The factor that was enrolled; `nil` after a sign-in.
  public let enrolledFactor: (any MultiFactorInfo)?

  init(user: User, payload: [UInt8] = [], enrolled: (any MultiFactorInfo)? = nil) {
    self.user = user
    self.payload = payload
    enrolledFactor = enrolled
  }
}

extension AuthDataResult: Redacted {}

/// A sign-in whose first factor is verified.
@frozen public enum BegunSignIn: Sendable {
  /// It is complete: the user has no second factor.
  case signedIn(AuthDataResult)
  /// It continues with a second factor.
  case secondFactorRequired(MultiFactorResolver)
}
