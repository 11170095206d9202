package otp

/*
#include <stdlib.h>
#include <otp.h>
*/
import "C"

import (
	"strings"
	"time"
	"unsafe"
)

// A Request is one verification of a batch.
type Request struct {
	Key    *Key
	Code   string
	At     time.Time
	Window Window
}

// An Outcome is what Key.Verify returns, for one request of a batch.
type Outcome struct {
	Match
	Err error
}

// VerifyBatch verifies many codes at once, which is faster than one by one. The answers are in the order of the
// requests. If two requests have the same key and code, both are accepted: let in only one.
func VerifyBatch(requests []Request) ([]Outcome, error) {
	if len(requests) == 0 {
		return nil, nil
	}
	// The requests point to codes and windows, so all three are in C's memory.
	in := allocate[C.otp_request](len(requests))
	defer C.free(unsafe.Pointer(&in[0]))
	windows := allocate[C.otp_window](len(requests))
	defer C.free(unsafe.Pointer(&windows[0]))
	out := allocate[C.otp_match](len(requests))
	defer C.free(unsafe.Pointer(&out[0]))

	var joined strings.Builder
	for _, request := range requests {
		joined.WriteString(request.Code)
	}
	codes := C.CString(joined.String())
	defer C.free(unsafe.Pointer(codes))

	offset := 0
	for i, request := range requests {
		request.Window.write(&windows[i])
		in[i] = C.otp_request{
			size:      C.sizeof_otp_request,
			_type:     C.OTP_TOTP,
			key:       request.Key.pointer,
			code:      (*C.char)(unsafe.Add(unsafe.Pointer(codes), offset)),
			code_len:  C.size_t(len(request.Code)),
			unix_time: C.int64_t(request.At.Unix()),
			window:    &windows[i],
		}
		offset += len(request.Code)
	}
	out[0].size = C.sizeof_otp_match
	if err := failure(C.otp_verify_batch(&in[0], C.size_t(len(in)), &out[0])); err != nil {
		return nil, err
	}
	answers := make([]Outcome, len(requests))
	for i := range out {
		answers[i] = Outcome{match(&out[i]), failure(out[i].status)}
	}
	return answers, nil
}

// allocate returns C memory for count elements. It is zeroed, since Go's write barrier reads the pointer that a store
// overwrites.
func allocate[T any](count int) []T {
	var element T
	return unsafe.Slice((*T)(C.calloc(C.size_t(count), C.size_t(unsafe.Sizeof(element)))), count)
}
