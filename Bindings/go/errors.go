package otp

// #include <otp.h>
import "C"

import "fmt"

// An Error is a status of libotp other than success. errors.Is compares an error with one of these; a later libotp may
// return others.
type Error uint32

const (
	// ErrInvalidArgument is a mistake in the calling program, such as a closed key.
	ErrInvalidArgument Error = C.OTP_INVALID_ARGUMENT
	ErrOutputTooShort  Error = C.OTP_OUTPUT_TOO_SHORT

	// Secrets, codes and base32.

	ErrEmptySecret               Error = C.OTP_EMPTY_SECRET
	ErrInvalidBase32Character    Error = C.OTP_INVALID_BASE32_CHARACTER
	ErrInvalidBase32Length       Error = C.OTP_INVALID_BASE32_LENGTH
	ErrInvalidBase32Padding      Error = C.OTP_INVALID_BASE32_PADDING
	ErrNonZeroBase32TrailingBits Error = C.OTP_NON_ZERO_BASE32_TRAILING_BITS // only from DecodeBase32Strict
	ErrInvalidAlgorithm          Error = C.OTP_INVALID_ALGORITHM
	ErrInvalidDigits             Error = C.OTP_INVALID_DIGITS  // not 6 to 8
	ErrInvalidPeriod             Error = C.OTP_INVALID_PERIOD  // under a second
	ErrInvalidCounter            Error = C.OTP_INVALID_COUNTER // in a key URI
	ErrInvalidWindow             Error = C.OTP_INVALID_WINDOW  // a side that is not 0 to 10
	ErrInvalidLookAhead          Error = C.OTP_INVALID_LOOK_AHEAD
	ErrTimeBeforeT0              Error = C.OTP_TIME_BEFORE_T0
	ErrMalformedCode             Error = C.OTP_MALFORMED_CODE // only from ReadTyped

	// Key URIs.

	ErrURITooLong             Error = C.OTP_URI_TOO_LONG // more than 2,048 bytes
	ErrInvalidScheme          Error = C.OTP_INVALID_SCHEME
	ErrInvalidType            Error = C.OTP_INVALID_TYPE
	ErrInvalidAuthority       Error = C.OTP_INVALID_AUTHORITY
	ErrUnexpectedFragment     Error = C.OTP_UNEXPECTED_FRAGMENT
	ErrInvalidCharacter       Error = C.OTP_INVALID_CHARACTER
	ErrInvalidPercentEncoding Error = C.OTP_INVALID_PERCENT_ENCODING
	ErrInvalidUTF8            Error = C.OTP_INVALID_UTF8
	ErrInvalidIssuer          Error = C.OTP_INVALID_ISSUER  // with a colon
	ErrInvalidAccount         Error = C.OTP_INVALID_ACCOUNT // empty, or with a colon
	ErrMissingParameter       Error = C.OTP_MISSING_PARAMETER
	ErrDuplicateParameter     Error = C.OTP_DUPLICATE_PARAMETER
	ErrInvalidParameterName   Error = C.OTP_INVALID_PARAMETER_NAME

	// The machine.

	ErrRandomnessUnavailable Error = C.OTP_RANDOMNESS_UNAVAILABLE
	ErrBackendUnavailable    Error = C.OTP_BACKEND_UNAVAILABLE
	ErrCryptographyFailed    Error = C.OTP_CRYPTOGRAPHY_FAILED

	// Records: the server's failure, or a record that was changed.

	ErrMalformedRecord Error = C.OTP_MALFORMED_RECORD // truncated, empty, or something else
	ErrLaterRecord     Error = C.OTP_LATER_RECORD     // written by a later libotp
	ErrWrongEncoding   Error = C.OTP_WRONG_ENCODING   // sealed, and the keyring does not seal, or the reverse
	ErrAnotherSubject  Error = C.OTP_ANOTHER_SUBJECT
	ErrAnotherKind     Error = C.OTP_ANOTHER_KIND // the method is not for this kind of record
	ErrUnknownKey      Error = C.OTP_UNKNOWN_KEY
	ErrNotAuthentic    Error = C.OTP_NOT_AUTHENTIC
	ErrInvalidSubject  Error = C.OTP_INVALID_SUBJECT // not 1 to 1,024 bytes
	ErrInvalidSecret   Error = C.OTP_INVALID_SECRET  // over 1,024 bytes
	ErrNotPending      Error = C.OTP_NOT_PENDING
	ErrInvalidName     Error = C.OTP_INVALID_NAME // an issuer or account that a key URI cannot have
	ErrInvalidTime     Error = C.OTP_INVALID_TIME // outside 2000 to 2199

	// Keyrings.

	ErrKeyringUnreadable       Error = C.OTP_KEYRING_UNREADABLE
	ErrKeyringReadableByOthers Error = C.OTP_KEYRING_READABLE_BY_OTHERS
	ErrKeyringMalformed        Error = C.OTP_KEYRING_MALFORMED
	ErrKeyringCorrupt          Error = C.OTP_KEYRING_CORRUPT // its checksum is wrong
	ErrInvalidKeyName          Error = C.OTP_INVALID_KEY_NAME
	ErrInvalidKey              Error = C.OTP_INVALID_KEY // not 32 bytes
	ErrDuplicateKeyName        Error = C.OTP_DUPLICATE_KEY_NAME
)

// Error says what the status means, in a few words.
func (e Error) Error() string { return "otp: " + C.GoString(C.otp_status_string(C.otp_status(e))) }

// A TextError says what is wrong with a key URI or a base32 text, and where.
type TextError struct {
	Err      Error
	Part     string // of a URI, such as "secret"; else empty
	Position int    // the offset of the offending byte, or -1
}

// Error says what is wrong, and where.
func (e *TextError) Error() string {
	text := e.Err.Error()
	if e.Part != "" {
		text += " (" + e.Part + ")"
	}
	if e.Position >= 0 {
		text += fmt.Sprintf(" at byte %d", e.Position)
	}
	return text
}

// Unwrap returns e.Err, for errors.Is and errors.As.
func (e *TextError) Unwrap() error { return e.Err }

func failure(status C.otp_status) error {
	if status == C.OTP_OK {
		return nil
	}
	return Error(status)
}

func textFailure(status C.otp_status, info *C.otp_error_info) error {
	if status == C.OTP_OK {
		return nil
	}
	found := &TextError{Err: Error(status), Position: int(info.position)} // SIZE_MAX becomes -1.
	if info.part != nil {
		found.Part = C.GoString(info.part)
	}
	return found
}
