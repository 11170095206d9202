package otp

/*
#include <otp.h>

// Go may not pass C a pointer to memory that holds pointers to Go's memory, so they come one by one.
static otp_status uri_build(
    otp_uri uri, const uint8_t *secret, size_t secret_len, const char *issuer, size_t issuer_len, const char *account,
    size_t account_len, char *out, size_t *out_len, otp_error_info *error) {
  uri.secret = secret;
  uri.secret_len = secret_len;
  uri.issuer = issuer;
  uri.issuer_len = issuer_len;
  uri.account = account;
  uri.account_len = account_len;
  return otp_uri_build(&uri, 0, out, out_len, error);
}
*/
import "C"

import (
	"fmt"
	"io"
	"unsafe"
)

// A KeyURI is a key as the otpauth:// URI in a QR code describes it.
type KeyURI struct {
	IsHOTP  bool
	Hash    Hash   // 0: SHA1
	Digits  int    // 6 to 8; 0: 6
	Period  int64  // TOTP, in seconds; 0: 30
	Counter uint64 // HOTP: the first one
	Secret  []byte
	Account string // such as an address: not empty, and without a colon
	Issuer  string // the service, without a colon; empty if there is none
	// LabelIssuer is the issuer in front of the account of a URI that was read, which can differ. Text ignores it.
	LabelIssuer string
}

// Format hides the secret, whatever the verb.
func (KeyURI) Format(to fmt.State, _ rune) { io.WriteString(to, "<otp.KeyURI>") }

// Text returns the URI. It contains the secret: show it only to the user who enrolls, as a QR code.
func (u KeyURI) Text() (string, error) {
	params := Params{Digits: u.Digits, Period: u.Period}.inC()
	in := C.otp_uri{
		size: C.sizeof_otp_uri, _type: C.OTP_TOTP, hash: u.Hash.orSHA1(), digits: params.digits, period: params.period,
		counter: C.uint64_t(u.Counter),
	}
	if u.IsHOTP {
		in._type = C.OTP_HOTP
	}
	secret, secretLength := pointer(u.Secret)
	issuer, issuerLength := text(u.Issuer)
	account, accountLength := text(u.Account)
	info := C.otp_error_info{size: C.sizeof_otp_error_info}
	return writtenURI(func(out *C.char, length *C.size_t) error {
		return textFailure(C.uri_build(
			in, secret, secretLength, issuer, issuerLength, account, accountLength, out, length, &info), &info)
	})
}

// writtenURI returns the URI that a function writes.
func writtenURI(write func(out *C.char, length *C.size_t) error) (string, error) {
	text, err := written(C.OTP_URI_MAX+1, func(room []byte) (int, error) {
		first, length := pointer(room)
		err := write((*C.char)(unsafe.Pointer(first)), &length)
		return int(length), err
	})
	defer wipe(text)
	return string(text), err
}

// A URIFlag changes how ParseKeyURI reads.
type URIFlag uint32

const (
	PlusIsSpace          URIFlag = C.OTP_URI_PLUS_IS_SPACE           // + in a parameter is a space
	MissingCounterIsZero URIFlag = C.OTP_URI_MISSING_COUNTER_IS_ZERO // HOTP without a counter begins at 0
	StrictBase32         URIFlag = C.OTP_URI_STRICT_BASE32           // the secret is what RFC 4648 allows
)

// ParseKeyURI reads a URI of at most 2,048 bytes. Its error is a *TextError.
func ParseKeyURI(uri string, flags ...URIFlag) (KeyURI, error) {
	all := URIFlag(0)
	for _, flag := range flags {
		all |= flag
	}
	memory, release := allocate[byte](C.OTP_URI_MEMORY)
	defer release()
	first, length := text(uri)
	found := C.otp_uri{size: C.sizeof_otp_uri}
	info := C.otp_error_info{size: C.sizeof_otp_error_info}
	status := C.otp_uri_parse(
		first, length, C.uint(all), &found, unsafe.Pointer(&memory[0]), C.size_t(len(memory)), &info)
	if err := textFailure(status, &info); err != nil {
		return KeyURI{}, err
	}
	return KeyURI{
		IsHOTP: found._type == C.OTP_HOTP, Hash: Hash(found.hash), Digits: int(found.digits),
		Period: int64(found.period), Counter: uint64(found.counter),
		Secret:      C.GoBytes(unsafe.Pointer(found.secret), C.int(found.secret_len)),
		Account:     C.GoStringN(found.account, C.int(found.account_len)),
		Issuer:      C.GoStringN(found.issuer, C.int(found.issuer_len)),
		LabelIssuer: C.GoStringN(found.label_issuer, C.int(found.label_issuer_len)),
	}, nil
}

// EncodeBase32 writes bytes in base32 (RFC 4648, section 6) without padding, in a time that does not depend on them.
func EncodeBase32(bytes []byte) string {
	first, length := pointer(bytes)
	room := make([]byte, (len(bytes)*8+4)/5+1)
	defer wipe(room)
	written := C.size_t(len(room))
	if C.otp_base32_encode(first, length, 0, (*C.char)(unsafe.Pointer(&room[0])), &written) != C.OTP_OK {
		return ""
	}
	return string(room[:written])
}

// DecodeBase32 reads a secret as people type it: upper or lower case, spaces and hyphens between symbols, padding or
// none. Its error is a *TextError.
func DecodeBase32(base32 string) ([]byte, error) { return decode(base32, 0) }

// DecodeBase32Strict accepts only what RFC 4648 allows: upper case, full padding, and nothing between.
func DecodeBase32Strict(base32 string) ([]byte, error) { return decode(base32, C.OTP_BASE32_STRICT) }

func decode(base32 string, flags C.uint) ([]byte, error) {
	first, length := text(base32)
	bytes := make([]byte, len(base32)*5/8+1)
	room := C.size_t(len(bytes))
	info := C.otp_error_info{size: C.sizeof_otp_error_info}
	status := C.otp_base32_decode(first, length, flags, (*C.uint8_t)(&bytes[0]), &room, &info)
	if err := textFailure(status, &info); err != nil {
		return nil, err
	}
	return bytes[:room:room], nil
}
