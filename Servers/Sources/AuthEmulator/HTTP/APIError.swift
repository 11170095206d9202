import MultiFactor

/// An error response: a status, a message that starts with the code that SDKs look for, and Google's additional fields.
struct APIError: Error, Sendable, Hashable {
  let statusCode: Int
  let message: String
  /// The canonical name of the status. Errors of the HTTP layer have it, those of Auth do not.
  var status: String?
  var reason = "invalid"
  /// The whole response, if it does not have the usual form.
  var details: JSON?

  /// An error of Auth: 400, with a code and an optional text.
  init(_ code: String, _ text: String? = nil) {
    statusCode = 400
    message = text.map { "\(code) : \($0)" } ?? code
  }

  init(_ statusCode: Int, _ status: String, _ message: String, reason: String = "invalid") {
    self.statusCode = statusCode
    self.status = status
    self.message = message
    self.reason = reason
  }

  var body: JSON {
    details ?? [
      "error": [
        "code": .integer(Int64(statusCode)), "message": .string(message), "status": .text(status),
        "errors": [["message": .string(message), "reason": .string(reason), "domain": "global"]],
      ]
    ]
  }
}

// Errors of the HTTP layer.
extension APIError {
  static let invalidJSON = APIError(
    400, "INVALID_ARGUMENT", "Invalid JSON payload received. Could not parse it.", reason: "parseError")
  static let missingKey = APIError(
    403, "PERMISSION_DENIED", "The request is missing a valid API key.", reason: "forbidden")
  static let invalidBearer = APIError(
    401, "UNAUTHENTICATED",
    "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid "
      + "authentication credential.", reason: "authError")
  static let missingBearer = APIError(
    401, "UNAUTHENTICATED",
    "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid "
      + "authentication credential.", reason: "authError")
  static let notFound = APIError(404, "NOT_FOUND", "Not Found", reason: "notFound")
  static let tooLarge = APIError(
    413, "INVALID_ARGUMENT", "The request's body is larger than 1 MB.", reason: "uploadTooLarge")
  /// The client has disconnected, or has sent something other than HTTP.
  static let incompleteBody = APIError(400, "INVALID_ARGUMENT", "The request's body cannot be read.")
  static let `internal` = APIError(500, "INTERNAL", "Internal error encountered.", reason: "internalError")

  static func wrongMethod(_ method: String) -> APIError {
    APIError(405, "UNKNOWN", "The method \(method) is not served here.", reason: "httpMethodNotAllowed")
  }

  static func invalid(_ text: String) -> APIError {
    APIError(400, "INVALID_ARGUMENT", "Invalid JSON payload received. \(text)", reason: "badRequest")
  }

  static func notImplemented(_ what: String) -> APIError {
    APIError(501, "NOT_IMPLEMENTED", "\(what) is not implemented in this emulator.", reason: "unimplemented")
  }
}

// Errors of Auth that several endpoints throw.
extension APIError {
  static let userNotFound = APIError("USER_NOT_FOUND")
  static let tokenExpired = APIError("TOKEN_EXPIRED")
  static let invalidIDToken = APIError("INVALID_ID_TOKEN")
  static let tenantMismatch = APIError("TENANT_ID_MISMATCH")
  static let emailExists = APIError("EMAIL_EXISTS")
  static let invalidEmail = APIError("INVALID_EMAIL")
  static let invalidPhoneNumber = APIError("INVALID_PHONE_NUMBER", "Invalid format.")
  static let unsupportedFirstFactor = APIError(
    "UNSUPPORTED_FIRST_FACTOR", "MFA is not available for the given first factor.")
  static let unverifiedEmail = APIError(
    "UNVERIFIED_EMAIL", "Need to verify email first before enrolling second factors.")
  static let secondFactorDisabled = APIError("OPERATION_NOT_ALLOWED", "SMS based MFA not enabled.")
  static let invalidPendingCredential = APIError("INVALID_MFA_PENDING_CREDENTIAL")
  static let expiredPendingCredential = APIError(
    "INVALID_MFA_PENDING_CREDENTIAL", "MFA pending credential is expired.")
  static let totpTimeout = APIError(
    "TOTP_CHALLENGE_TIMEOUT", "TOTP challenge timeout, provide first factor again.")

  /// The protocol's error for one of the multi-factor layer.
  init(_ error: AuthError) {
    switch error.code {
    case .operationNotAllowed: self = .secondFactorDisabled
    case .tooManyRequests: self.init("TOO_MANY_ATTEMPTS_TRY_LATER")
    case .requiresRecentLogin: self.init("CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    case .userTokenExpired: self = .tokenExpired
    case .invalidUserToken: self = .invalidIDToken
    case .missingPhoneNumber, .invalidPhoneNumber: self = .invalidPhoneNumber
    case .missingVerificationCode: self.init("MISSING_CODE")
    case .invalidVerificationCode: self.init("INVALID_CODE")
    case .missingVerificationID, .missingMultiFactorSession: self.init("MISSING_SESSION_INFO")
    case .invalidVerificationID, .invalidMultiFactorSession, .userMismatch: self.init("INVALID_SESSION_INFO")
    case .sessionExpired: self.init("SESSION_EXPIRED")
    case .quotaExceeded: self.init("QUOTA_EXCEEDED")
    case .multiFactorInfoNotFound, .missingMultiFactorInfo: self.init("MFA_ENROLLMENT_NOT_FOUND")
    case .unverifiedEmail: self = .unverifiedEmail
    case .secondFactorAlreadyEnrolled:
      self.init("SECOND_FACTOR_EXISTS", "Phone number already enrolled as second factor for this account.")
    case .maximumSecondFactorCountExceeded: self.init("SECOND_FACTOR_LIMIT_EXCEEDED")
    case .unsupportedFirstFactor: self = .unsupportedFirstFactor
    default: self = .internal
    }
  }
}
