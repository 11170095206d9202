// Package otp makes and verifies one-time passwords with libotp: the codes of authenticator apps (TOTP, RFC 6238) and
// of tokens with a counter (HOTP, RFC 4226).
//
// A server that signs people in wants a [Keyring], whose records hold all that must be remembered of a user's second
// factor, sealed, in one column of its table. A [Key] is for a server that keeps secrets and last steps itself.
//
// An error is a mistake in the calling program, a text that cannot be read, or a failure of the machine. It is an
// [Error], or a [*TextError] that wraps one, and never repeats an argument. A wrong code is not an error but a result.
//
// Any number of goroutines can use a key or keyring at once, and close it at any time. A value that is never closed is
// wiped and released by the garbage collector, at some time.
//
// libotp wipes its copies of secrets, and this package the buffers that it passes: wipe your own slices. Go's strings,
// such as key URIs and recovery codes, cannot be wiped.
package otp

/*
#cgo pkg-config: libotp
#include <otp.h>
#include <stdlib.h>
*/
import "C"

import (
	"math"
	"reflect"
	"strconv"
	"unsafe"
)

// orSHA1 returns the hash, or SHA1 instead of 0.
func (h Hash) orSHA1() C.otp_hash {
	if h == 0 {
		h = SHA1
	}
	return C.otp_hash(h)
}

// Version returns libotp's version, such as "0.1.0".
func Version() string { return C.GoString(C.otp_version()) }

// SelfTest runs the known-answer tests. Call it when a server starts.
func SelfTest() error { return failure(C.otp_self_test()) }

// GenerateSecret returns a new secret, as long as the hash's output: 20, 32 or 64 bytes. Store it encrypted.
func GenerateSecret(hash Hash) ([]byte, error) {
	secret := make([]byte, 64)
	first, room := pointer(secret)
	if err := failure(C.otp_secret_generate(C.otp_hash(hash), first, &room)); err != nil {
		return nil, err
	}
	return secret[:room:room], nil
}

// ReadTyped reads a code of 6 to 8 digits as a person typed it, such as "287 082\n". Respond to ErrMalformedCode as to
// a wrong code.
func ReadTyped(typed string, digits int) (string, error) {
	var code [9]C.char
	defer wipe((*[9]byte)(unsafe.Pointer(&code))[:])
	first, length := text(typed)
	if err := failure(C.otp_code_read_typed(first, length, unsigned(digits), &code[0])); err != nil {
		return "", err
	}
	return C.GoString(&code[0]), nil
}

// pointer returns the address and length of a slice's bytes; the address is nil if there are none.
func pointer(bytes []byte) (*C.uint8_t, C.size_t) {
	if len(bytes) == 0 {
		return nil, 0
	}
	return (*C.uint8_t)(&bytes[0]), C.size_t(len(bytes))
}

// text returns the address and length of a string's bytes, without a copy, which would need wiping. (Go 1.19 lacks
// unsafe.StringData.)
func text(of string) (*C.char, C.size_t) {
	return (*C.char)(unsafe.Pointer((*reflect.StringHeader)(unsafe.Pointer(&of)).Data)), C.size_t(len(of))
}

// unsigned converts a number; what is out of range becomes one that libotp refuses wherever it checks.
func unsigned(number int) C.uint {
	if number < 0 || number > math.MaxUint32 {
		return math.MaxUint32
	}
	return C.uint(number)
}

// flag is how C says a boolean.
func flag(isSet bool) C.int {
	if isSet {
		return 1
	}
	return 0
}

// written returns what a function writes into room for size bytes, which is then wiped: it may have held a secret.
func written(size int, write func(room []byte) (int, error)) ([]byte, error) {
	room := make([]byte, size)
	defer wipe(room)
	length, err := write(room)
	if err != nil {
		return nil, err
	}
	return append([]byte(nil), room[:length]...), nil
}

func wipe(bytes []byte) {
	for i := range bytes {
		bytes[i] = 0
	}
}

// allocate returns zeroed memory of C's, for what structures point to: Go may not pass C a pointer to memory that holds
// pointers to Go's memory. release wipes and frees it.
func allocate[T any](count int) (memory []T, release func()) {
	var element T
	size := C.size_t(unsafe.Sizeof(element))
	first := C.calloc(C.size_t(count)+1, size)
	return unsafe.Slice((*T)(first), count), func() {
		wipe(unsafe.Slice((*byte)(first), count*int(size)))
		C.free(first)
	}
}

// unknown is the name of an enumerator that a later libotp has.
func unknown(value uint32) string { return "unknown (" + strconv.FormatUint(uint64(value), 10) + ")" }
