package otp

// #include <otp.h>
import "C"

import "fmt"

// An Error is a status of libotp other than success, such as ErrNotAuthentic. A later libotp may return others.
type Error uint32

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
