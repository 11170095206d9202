import Foundation

/// What a handle says about its user and how the user signed in, for the host's own session or token.
///
/// With `MultiFactorFirebase`, it encodes to JSON with the names of an Identity Platform ID token.
public struct UserClaims: Sendable, Hashable {
  /// The host's ID for the user.
  public let subject: String
  /// The e-mail address, if the host has one.
  public let email: String?
  /// Whether the host knows that the address is the user's.
  public let isEmailVerified: Bool
  /// When the first factor was verified.
  public let authenticationDate: Date
  /// The provider of the first factor.
  public let signInProvider: String
  /// The kind of the second factor that was verified:
  /// ``TOTPMultiFactorID`` and the like, or `nil`. `remembered` says that it was verified in this browser earlier, at
  /// ``secondFactorDate``: that is enough to sign in, and for nothing else.
  public let secondFactor: String?
  /// The `uid` of the second factor that was verified, or `nil`.
  public let secondFactorIdentifier: String?
  /// When the second factor was verified, or `nil`.
  public let secondFactorDate: Date?

  package init(
    subject: String, email: String?, isEmailVerified: Bool, authenticationDate: Date, signInProvider: String,
    secondFactor: String?, secondFactorIdentifier: String?, secondFactorDate: Date?
  ) {
    self.subject = subject
    self.email = email
    self.isEmailVerified = isEmailVerified
    self.authenticationDate = authenticationDate
    self.signInProvider = signInProvider
    self.secondFactor = secondFactor
    self.secondFactorIdentifier = secondFactorIdentifier
    self.secondFactorDate = secondFactorDate
  }
}
