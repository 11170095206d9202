package otp

// #include <otp.h>
import "C"

import (
	"time"
	"unsafe"
)

// A Request is one verification of a batch.
type Request struct {
	Key    *Key
	Code   string
	Params Params
	// At and Window are for TOTP: see Key.VerifyTOTP.
	At     time.Time
	Window Window
	// IsHOTP says that Counter and LookAhead are used instead: see Key.VerifyHOTP.
	IsHOTP    bool
	Counter   uint64
	LookAhead int
}

// An Outcome is what Key.VerifyTOTP or Key.VerifyHOTP returns, for one request of a batch.
type Outcome struct {
	Match
	Err error
}

// VerifyBatch verifies many codes at once, which is faster than one by one. The outcomes are in the order of the
// requests. If two requests have the same key and code, both are accepted: let in only one.
func VerifyBatch(requests []Request) ([]Outcome, error) {
	if len(requests) == 0 {
		return nil, nil
	}
	size := 0
	for i := range requests {
		size += len(requests[i].Code)
	}
	codes, releaseCodes := allocate[byte](size + 1)
	defer releaseCodes()
	windows, releaseWindows := allocate[C.otp_window](len(requests))
	defer releaseWindows()
	params, releaseParams := allocate[C.otp_totp_params](len(requests))
	defer releaseParams()

	var keys []*Key
	defer func() {
		for _, key := range keys {
			key.release()
		}
	}()
	in, out := make([]C.otp_request, len(requests)), make([]C.otp_match, len(requests))
	for i := range requests {
		request := &requests[i]
		windows[i], params[i] = request.Window.inC(), request.Params.inC()
		in[i] = C.otp_request{
			size: C.sizeof_otp_request, _type: C.OTP_TOTP, code: (*C.char)(unsafe.Pointer(&codes[0])),
			code_len: C.size_t(copy(codes, request.Code)), unix_time: C.int64_t(request.At.Unix()), params: &params[i],
			window: &windows[i], counter: C.uint64_t(request.Counter), digits: params[i].digits,
			look_ahead: unsigned(request.LookAhead),
		}
		codes = codes[len(request.Code):]
		if request.IsHOTP {
			in[i]._type = C.OTP_HOTP
		}
		if request.Key != nil {
			if in[i].key = (*C.otp_key)(request.Key.acquire()); in[i].key != nil {
				keys = append(keys, request.Key)
			}
		}
	}
	out[0].size = C.sizeof_otp_match
	if err := failure(C.otp_verify_batch(&in[0], C.size_t(len(in)), &out[0])); err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, len(requests))
	for i := range out {
		outcomes[i] = Outcome{match(&out[i]), failure(out[i].status)}
	}
	return outcomes, nil
}
