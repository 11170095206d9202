// Package otp makes and verifies the codes of authenticator apps with libotp: six digits, a new one every 30 seconds.
// Copy it into your module, and add whatever else you need from otp.h. See login for a program.
//
// Two of cgo's rules matter if you add more:
//
//   - Never pass C a pointer to Go memory that holds pointers to Go memory. Structures such as otp_uri and otp_request
//     hold pointers: either let a C function take them one by one and fill in the structure (build_uri, below), or keep
//     everything in C's memory (batch.go).
//   - Go cannot see macros that are initializers, such as OTP_URI_INIT. Use them in a C function (build_uri again), or
//     set a structure's members in Go, beginning with its size, as Window.write does.
//
// Any number of goroutines can call any function. libotp wipes its copies of a secret; wiping yours is up to you.
package otp

/*
#cgo pkg-config: libotp
#include <otp.h>

static otp_status verify(
    const otp_key *key, _GoString_ code, int64_t unix_time, const otp_window *window, otp_match *match) {
  return otp_totp_verify(key, _GoStringPtr(code), _GoStringLen(code), unix_time, NULL, window, match);
}

static otp_status read_typed(_GoString_ text, char out[9]) {
  return otp_code_read_typed(_GoStringPtr(text), _GoStringLen(text), 6, out);
}

static otp_status build_uri(
    otp_hash hash, const uint8_t *secret, size_t secret_len, _GoString_ issuer, _GoString_ account, char *out,
    size_t *out_len) {
  otp_uri uri = OTP_URI_INIT;
  uri.hash = hash;
  uri.secret = secret;
  uri.secret_len = secret_len;
  uri.issuer = _GoStringPtr(issuer);
  uri.issuer_len = _GoStringLen(issuer);
  uri.account = _GoStringPtr(account);
  uri.account_len = _GoStringLen(account);
  return otp_uri_build(&uri, 0, out, out_len, NULL);
}
*/
import "C"

import "time"

// A Hash is what HMAC uses. Authenticator apps expect SHA1.
type Hash uint32

const (
	SHA1   Hash = C.OTP_SHA1
	SHA256 Hash = C.OTP_SHA256
	SHA512 Hash = C.OTP_SHA512
)

// An Error is an otp_status other than OTP_OK. A wrong code is not an error but a Result.
type Error uint32

const (
	ErrInvalidArgument Error = C.OTP_INVALID_ARGUMENT
	ErrEmptySecret     Error = C.OTP_EMPTY_SECRET
	ErrInvalidWindow   Error = C.OTP_INVALID_WINDOW
	ErrTimeBeforeT0    Error = C.OTP_TIME_BEFORE_T0
	ErrMalformedCode   Error = C.OTP_MALFORMED_CODE
	ErrInvalidAccount  Error = C.OTP_INVALID_ACCOUNT
)

func (e Error) Error() string { return "otp: " + C.GoString(C.otp_status_string(C.otp_status(e))) }

func failure(status C.otp_status) error {
	if status == C.OTP_OK {
		return nil
	}
	return Error(status)
}

// SelfTest runs the known-answer tests. Call it when a server starts.
func SelfTest() error { return failure(C.otp_self_test()) }

// GenerateSecret returns a new secret, as long as the hash's output. Store it encrypted.
func GenerateSecret(hash Hash) ([]byte, error) {
	var secret [64]byte
	length := C.size_t(len(secret))
	if err := failure(C.otp_secret_generate(C.otp_hash(hash), (*C.uint8_t)(&secret[0]), &length)); err != nil {
		return nil, err
	}
	return secret[:length:length], nil
}

// URI returns the key URI that a user's app reads as a QR code. It contains the secret: show it only to that user.
func URI(hash Hash, secret []byte, issuer, account string) (string, error) {
	var text [C.OTP_URI_MAX + 1]C.char
	length := C.size_t(len(text))
	bytes, count := pointer(secret)
	status := C.build_uri(C.otp_hash(hash), bytes, count, issuer, account, &text[0], &length)
	if err := failure(status); err != nil {
		return "", err
	}
	return C.GoStringN(&text[0], C.int(length)), nil
}

// ReadTyped reads a code as a person typed it, such as "287 082\n". Respond to ErrMalformedCode as to a wrong code.
func ReadTyped(text string) (string, error) {
	var code [9]C.char
	if err := failure(C.read_typed(text, &code[0])); err != nil {
		return "", err
	}
	return C.GoString(&code[0]), nil
}

// A Key is a secret prepared for HMAC, in C's memory. Creating one costs as much as a few codes. Close it when no
// goroutine uses it any more.
type Key struct{ pointer *C.otp_key }

// NewKey copies the secret.
func NewKey(hash Hash, secret []byte) (*Key, error) {
	key := new(Key)
	bytes, count := pointer(secret)
	if err := failure(C.otp_key_create(C.otp_hash(hash), bytes, count, &key.pointer)); err != nil {
		return nil, err
	}
	return key, nil
}

// Close wipes and releases the key. Methods of a closed key return ErrInvalidArgument.
func (k *Key) Close() {
	C.otp_key_destroy(k.pointer)
	k.pointer = nil
}

// Code returns the code that the user's app shows at a time.
func (k *Key) Code(at time.Time) (string, error) {
	var code [9]C.char
	if err := failure(C.otp_totp(k.pointer, C.int64_t(at.Unix()), nil, &code[0])); err != nil {
		return "", err
	}
	return C.GoString(&code[0]), nil
}

// A Window is the range of steps whose codes are accepted: 0 to 10 before and after the current one, but only those
// later than After, the last accepted step (nil if there is none). The zero Window is only the current step; one step on
// either side is usual.
type Window struct {
	Behind, Ahead uint32
	After         *uint64
}

func (w Window) write(to *C.otp_window) {
	*to = C.otp_window{size: C.sizeof_otp_window, behind: C.uint(w.Behind), ahead: C.uint(w.Ahead)}
	if w.After != nil {
		to.has_after, to.after = 1, C.uint64_t(*w.After)
	}
}

// A Result says whether a code was accepted.
type Result uint32

const (
	Rejected Result = C.OTP_REJECTED
	Accepted Result = C.OTP_ACCEPTED
	// Replayed means that the code is that of a step at or before Window.After.
	Replayed Result = C.OTP_REPLAYED
)

// A Match is the outcome of a verification.
type Match struct {
	Result Result
	// Step is the step whose code was accepted. Store it before you let the user in, and from then on pass it as
	// Window.After.
	Step uint64
	// Offset is Step minus the current step: -10 to 10.
	Offset int64
}

func match(from *C.otp_match) Match {
	return Match{Result(from.result), uint64(from.step), int64(from.offset)}
}

// Verify compares a code of six ASCII digits with those of the window.
func (k *Key) Verify(code string, at time.Time, window Window) (Match, error) {
	var in C.otp_window
	window.write(&in)
	out := C.otp_match{size: C.sizeof_otp_match}
	err := failure(C.verify(k.pointer, code, C.int64_t(at.Unix()), &in, &out))
	return match(&out), err
}

// pointer returns the address and length of a slice's bytes; the address is nil if there are none.
func pointer(bytes []byte) (*C.uint8_t, C.size_t) {
	if len(bytes) == 0 {
		return nil, 0
	}
	return (*C.uint8_t)(&bytes[0]), C.size_t(len(bytes))
}
