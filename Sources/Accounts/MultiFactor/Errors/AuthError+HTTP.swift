import Foundation

// For a server that answers by HTTP.
extension AuthError {
  /// The status of the response (RFC 9110, section 15; 429 is RFC 6585, section 4): 400 for what the client sent, 401
  /// if the user must verify a factor, 403, 404, 409, 429, and 500 or, if a repetition may succeed, 503.
  ///
  /// 401 requires a `WWW-Authenticate` field, which names the host's own scheme.
  public var httpStatus: Int {
    switch code {
    case .invalidCredential, .missingPhoneNumber, .invalidPhoneNumber, .missingVerificationCode,
      .invalidVerificationCode, .missingVerificationID, .invalidVerificationID, .missingAppCredential,
      .missingMultiFactorSession, .missingMultiFactorInfo, .invalidMultiFactorSession:
      400
    case .invalidUserToken, .userTokenExpired, .sessionExpired, .requiresRecentLogin, .secondFactorRequired: 401
    case .operationNotAllowed, .userDisabled, .adminRestrictedOperation, .userMismatch, .unverifiedEmail,
      .unsupportedFirstFactor, .invalidAppCredential, .appNotVerified, .captchaCheckFailed:
      403
    case .userNotFound, .multiFactorInfoNotFound: 404
    case .secondFactorAlreadyEnrolled, .maximumSecondFactorCountExceeded: 409
    case .tooManyRequests, .quotaExceeded: 429
    case .internalError:
      switch storeError?.kind {
      case .overloaded, .timeout, .unreachable, .readOnly: 503
      default: 500
      }
    }
  }

  /// The value of a `Retry-After` field (RFC 9110, section 10.2.3): the seconds until ``retryAfter``, rounded up, at
  /// least 1; `nil` if there is no such time.
  ///
  /// - Parameter now: The server's time.
  public func retryAfterSeconds(at now: Date = Date()) -> Int? {
    retryAfter.map { max(1, Int(exactly: $0.timeIntervalSince(now).rounded(.up)) ?? .max) }
  }
}
