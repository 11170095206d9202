public import COTP
internal import OTP

extension otp_status {
  /// The status of an error. One that C cannot bring about is a mistake of the caller's.
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
    default:
      for code in OTPError.Code.allCases where otp_status(code) == self { return code.staticMessage }
      return "unknown status"
    }
  }
}

/// See otp.h.
@c @implementation
public func otp_status_string(_ status: otp_status) -> UnsafePointer<CChar>? {
  unsafe status.text.cString
}

/// Something that was wrong before the engine saw it.
struct CallError: Error {
  let status: otp_status

  init(_ status: otp_status) { self.status = status }
}

/// Does what a C function does, and returns its status.
///
/// The one place where errors become statuses.
@inline(__always)
func call(_ body: () throws(CallError) -> Void) -> otp_status {
  do throws(CallError) {
    try body()
    return OTP_OK
  } catch {
    return error.status
  }
}

/// The engine's errors as statuses.
@inline(__always)
func engine<R>(_ body: () throws(OTPError) -> R) throws(CallError) -> R {
  do throws(OTPError) {
    return try body()
  } catch {
    throw CallError(otp_status(error))
  }
}

/// The engine's errors as statuses, with what is told of them.
func engine<R>(
  _ info: UnsafeMutablePointer<otp_error_info>?, _ body: () throws(OTPError) -> R
) throws(CallError) -> R {
  let infoSize = try unsafe info?.writableSize()
  do throws(OTPError) {
    return try body()
  } catch {
    if let info = unsafe info, let infoSize {
      // SIZE_MAX where there is no position.
      let told = unsafe otp_error_info(
        size: 0, part: error.part?.staticName.cString, position: error.position ?? -1)
      unsafe info.write(told, size: infoSize)
    }
    throw CallError(otp_status(error))
  }
}
