// otp.h documents these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import COTP
internal import OTP

extension otp_status {
  /// The status for an error. Errors that C cannot cause become `OTP_INVALID_ARGUMENT`.
  init(_ error: OTPError) { self.init(error.code) }

  private init(_ code: OTPError.Code) {
    self =
      switch code {
      case .emptySecret: OTP_EMPTY_SECRET
      case .invalidBase32Character: OTP_INVALID_BASE32_CHARACTER
      case .invalidBase32Length: OTP_INVALID_BASE32_LENGTH
      case .invalidBase32Padding: OTP_INVALID_BASE32_PADDING
      case .nonZeroBase32TrailingBits: OTP_NON_ZERO_BASE32_TRAILING_BITS
      case .invalidAlgorithm: OTP_INVALID_ALGORITHM
      case .invalidDigits: OTP_INVALID_DIGITS
      case .invalidPeriod: OTP_INVALID_PERIOD
      case .invalidCounter: OTP_INVALID_COUNTER
      case .invalidWindow: OTP_INVALID_WINDOW
      case .invalidLookAhead: OTP_INVALID_LOOK_AHEAD
      case .timeBeforeT0: OTP_TIME_BEFORE_T0
      case .malformedCode: OTP_MALFORMED_CODE
      case .uriTooLong: OTP_URI_TOO_LONG
      case .invalidScheme: OTP_INVALID_SCHEME
      case .invalidType: OTP_INVALID_TYPE
      case .invalidAuthority: OTP_INVALID_AUTHORITY
      case .unexpectedFragment: OTP_UNEXPECTED_FRAGMENT
      case .invalidCharacter: OTP_INVALID_CHARACTER
      case .invalidPercentEncoding: OTP_INVALID_PERCENT_ENCODING
      case .invalidUTF8: OTP_INVALID_UTF8
      case .invalidIssuer: OTP_INVALID_ISSUER
      case .invalidAccount: OTP_INVALID_ACCOUNT
      case .missingParameter: OTP_MISSING_PARAMETER
      case .duplicateParameter: OTP_DUPLICATE_PARAMETER
      case .invalidParameterName: OTP_INVALID_PARAMETER_NAME
      case .outputTooShort: OTP_OUTPUT_TOO_SHORT
      case .randomnessUnavailable: OTP_RANDOMNESS_UNAVAILABLE
      case .backendUnavailable: OTP_BACKEND_UNAVAILABLE
      case .cryptographyFailed: OTP_CRYPTOGRAPHY_FAILED
      case .invalidTime, .mismatchedDigits, .tooManyCodes: OTP_INVALID_ARGUMENT
      }
  }

  /// What the status means.
  fileprivate var text: StaticString {
    switch self {
    case OTP_OK: return "success"
    case OTP_INVALID_ARGUMENT: return "invalid argument"
    case OTP_MALFORMED_RECORD: return "the bytes are not a record"
    case OTP_LATER_RECORD: return "a later version has written the record"
    case OTP_WRONG_ENCODING: return "the record is sealed and the keyring does not seal, or the other way around"
    case OTP_ANOTHER_SUBJECT: return "the record was sealed for another subject"
    case OTP_ANOTHER_KIND: return "the function is not for this kind of record"
    case OTP_UNKNOWN_KEY: return "the keyring lacks the key that sealed the record"
    case OTP_NOT_AUTHENTIC: return "the record was altered, or sealed by another key of the same name"
    case OTP_INVALID_SUBJECT: return "a subject has 1 to 1024 bytes"
    case OTP_INVALID_SECRET: return "a secret has at most 1024 bytes"
    case OTP_NOT_PENDING: return "the enrollment was confirmed already"
    case OTP_INVALID_NAME: return "the issuer or the account cannot be in a key URI"
    case OTP_ENROLLED: return "the factor is active, and nothing says that it is to be replaced"
    case OTP_INVALID_TIME: return "a time is in seconds since 1970, from 2000 to 2199"
    case OTP_INVALID_POLICY: return "a number of the policy is out of range"
    case OTP_KEYRING_UNREADABLE: return "the keyring's file cannot be read"
    case OTP_KEYRING_READABLE_BY_OTHERS: return "others may read or write the keyring's file"
    case OTP_KEYRING_MALFORMED: return "the file is not a keyring"
    case OTP_KEYRING_CORRUPT: return "the keyring's file was damaged"
    case OTP_INVALID_KEY_NAME: return "a key's name has 1 to 32 letters, digits, periods, underscores and hyphens"
    case OTP_INVALID_KEY: return "a key has 32 bytes"
    case OTP_DUPLICATE_KEY_NAME: return "two keys have the same name"
    case OTP_KEYRING_EXISTS: return "there is something in the place of the keyring's file"
    case OTP_KEYRING_UNWRITABLE: return "the keyring's file cannot be written"
    default:
      for code in OTPError.Code.allCases where otp_status(code) == self { return code.staticMessage }
      return "unknown status"
    }
  }
}

@c @implementation
public func otp_status_string(_ status: otp_status) -> UnsafePointer<CChar>? {
  unsafe status.text.cString
}

/// A failure, as the status that the C function returns.
struct CallError: Error {
  let status: otp_status

  init(_ status: otp_status) { self.status = status }
}

/// Runs the body of a C function, and returns its status.
@inline(__always)
func call(_ body: () throws(CallError) -> Void) -> otp_status {
  do throws(CallError) {
    try body()
    return OTP_OK
  } catch {
    return error.status
  }
}

/// Runs a closure that uses the engine, and turns its errors into statuses.
@inline(__always)
func engine<R>(_ body: () throws(OTPError) -> R) throws(CallError) -> R {
  do throws(OTPError) {
    return try body()
  } catch {
    throw CallError(otp_status(error))
  }
}

/// The same, and writes the details of an error.
func engine<R>(
  _ info: UnsafeMutablePointer<otp_error_info>?, _ body: () throws(OTPError) -> R
) throws(CallError) -> R {
  let infoSize = try unsafe info?.writableSize()
  do throws(OTPError) {
    return try body()
  } catch {
    if let info = unsafe info, let infoSize {
      // The position is SIZE_MAX if there is none.
      let told = unsafe otp_error_info(
        size: 0, part: error.part?.staticName.cString, position: error.position ?? -1)
      unsafe info.write(told, size: infoSize)
    }
    throw CallError(otp_status(error))
  }
}
