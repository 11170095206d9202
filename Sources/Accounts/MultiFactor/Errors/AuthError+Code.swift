extension AuthError {
  /// What went wrong, by the Firebase Authentication SDK's names and numbers, so that clients of that SDK understand
  /// them.
  @nonexhaustive public enum Code: Int, Sendable, Hashable, CaseIterable {
    /// What the host passed with the first factor is longer than a pending sign-in can carry.
    case invalidCredential = 17004
    /// The user is disabled, for a host that disables users.
    case userDisabled = 17005
    /// The provider, or multi-factor authentication as a whole, is not enabled.
    case operationNotAllowed = 17006
    /// The factor is locked or delayed after failures, or its codes are spent after a loss, until `retryAfter`.
    case tooManyRequests = 17010
    /// There is no such user, for a host that reveals as much.
    case userNotFound = 17011
    /// The first factor was verified too long ago, or a second factor is needed and was not verified.
    case requiresRecentLogin = 17014
    /// A token that was not issued by this server, for this purpose, or that has been changed.
    case invalidUserToken = 17017
    /// The user's handles were revoked, or this one has expired: the user must sign in again.
    case userTokenExpired = 17021
    /// The session and the user, or the user and the factor, do not belong together.
    case userMismatch = 17024
    /// The phone number is empty.
    case missingPhoneNumber = 17041
    /// A phone number that is not E.164: `+` and 7 to 15 digits.
    case invalidPhoneNumber = 17042
    /// No code was typed.
    case missingVerificationCode = 17043
    /// A code that is wrong, late or already used: the client cannot tell which.
    case invalidVerificationCode = 17044
    /// The verification ID is empty.
    case missingVerificationID = 17045
    /// A verification ID that this server did not issue for this user and purpose.
    case invalidVerificationID = 17046
    /// The host's app verifier requires something that the app has not sent.
    case missingAppCredential = 17047
    /// What the app has sent does not show that it is the host's app.
    case invalidAppCredential = 17048
    /// The session, the resolver or the secret being enrolled has expired.
    case sessionExpired = 17051
    /// Too many text messages: to this number or its prefix, for this user, or overall; `retryAfter` says until when.
    case quotaExceeded = 17052
    /// The host's app verifier gave the request too low a score.
    case appNotVerified = 17055
    /// The reCAPTCHA token that the app has sent is invalid.
    case captchaCheckFailed = 17056
    /// The first factor was verified, and a second factor is needed; continue with `resolver`.
    case secondFactorRequired = 17078
    /// The token is empty, or there is no session for this step.
    case missingMultiFactorSession = 17081
    /// No factor was named, or not one of this kind.
    case missingMultiFactorInfo = 17082
    /// A session that this server did not issue for this purpose, or that has been changed.
    case invalidMultiFactorSession = 17083
    /// The user has no such factor.
    case multiFactorInfoNotFound = 17084
    /// Only an administrator can do this.
    case adminRestrictedOperation = 17085
    /// The user's e-mail address must be verified before a second factor is enrolled.
    case unverifiedEmail = 17086
    /// The user already has this factor.
    case secondFactorAlreadyEnrolled = 17087
    /// The user already has as many factors as are allowed.
    case maximumSecondFactorCountExceeded = 17088
    /// This kind of first factor cannot be combined with a second factor.
    case unsupportedFirstFactor = 17089
    /// The server failed: its store, its keyring, its random source, or its sender of text messages.
    case internalError = 17999
  }
}
