/// What a value is sealed for: it opens for the same purpose alone.
///
/// The raw values are part of what is authenticated; to change one is to lose what was sealed for it.
enum SealPurpose: String, Sendable, CaseIterable {
  /// The secret of a TOTP or HOTP factor, in the store. Bound to user and factor.
  case totpSecret
  /// The number of a phone factor, in the store. Bound to user and factor.
  case phoneNumber
  /// The number that a challenge was sent to, in the store.
  case challengeNumber
  /// A multi-factor session.
  case sessionToken
  /// A TOTP secret that is being enrolled.
  case totpSecretToken
  /// A sign-in that waits for its second factor.
  case resolverToken
  /// A signed-in user's handle.
  case userToken
  /// A phone challenge, as its client names it.
  case verificationIDToken
}

/// What a value is hashed for: no two purposes give one value the same hash.
///
/// The raw values are part of what is hashed, as ``SealPurpose``'s are of what is sealed.
enum HashPurpose: String, Sendable, CaseIterable {
  /// A phone number: one a user, and how many messages it was sent.
  case phoneNumber
  /// The code in a text message.
  case smsCode
  /// A recovery code.
  case recoveryCode
  /// The secret of a factor: none twice a user.
  case factorSecret
}
