package otp

// #include <otp.h>
import "C"

import (
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"
)

// Params say how codes are computed. The zero Params are what authenticator apps expect.
type Params struct {
	Digits int   // 6 to 8; 0: 6
	Period int64 // TOTP: the length of a step in seconds; 0: 30
	T0     int64 // TOTP: the Unix time at which step 0 begins
}

func (p Params) inC() C.otp_totp_params {
	if p.Digits == 0 {
		p.Digits = 6
	}
	if p.Period == 0 {
		p.Period = 30
	}
	return C.otp_totp_params{
		size: C.sizeof_otp_totp_params, digits: unsigned(p.Digits), period: C.int64_t(p.Period), t0: C.int64_t(p.T0),
	}
}

// A Window is the range of steps whose codes are accepted: 0 to 10 before and after the current one, but only those
// later than After, the last accepted step (nil if there is none). The zero Window is only the current step; one step
// on either side is usual.
type Window struct {
	Behind, Ahead int
	After         *uint64
}

func (w Window) inC() C.otp_window {
	in := C.otp_window{size: C.sizeof_otp_window, behind: unsigned(w.Behind), ahead: unsigned(w.Ahead)}
	if w.After != nil {
		in.has_after, in.after = 1, C.uint64_t(*w.After)
	}
	return in
}

// A Match is the outcome of a verification.
type Match struct {
	Result Result
	// Step is the step (TOTP) or counter (HOTP) whose code was accepted. Store it before you let the user in, and from
	// then on pass it as Window.After, or the next one as the counter. Do so atomically: two requests at once must not
	// both find the old one.
	Step uint64
	// Offset is Step minus the current step, -10 to 10, or minus the expected counter.
	Offset int64
}

func match(from *C.otp_match) Match {
	return Match{Result(from.result), uint64(from.step), int64(from.offset)}
}

// A Key is a secret prepared for HMAC. Creating one costs as much as a few codes: keep it while it is in use.
type Key struct{ handle }

// NewKey copies the secret: 1 byte or more, as GenerateSecret, DecodeBase32 or ParseKeyURI returns it.
func NewKey(hash Hash, secret []byte) (*Key, error) {
	var object *C.otp_key
	first, length := pointer(secret)
	if err := failure(C.otp_key_create(C.otp_hash(hash), first, length, &object)); err != nil {
		return nil, err
	}
	key := new(Key)
	key.open(unsafe.Pointer(object), func(object unsafe.Pointer) { C.otp_key_destroy((*C.otp_key)(object)) })
	runtime.SetFinalizer(key, (*Key).Close)
	return key, nil
}

// Close wipes and releases the key, as soon as no call uses it. From then on, its methods return ErrInvalidArgument.
func (k *Key) Close() { k.close() }

// TOTP returns the code at a time (RFC 6238, section 4).
func (k *Key) TOTP(at time.Time, params Params) (string, error) {
	var code [9]C.char
	defer wipe((*[9]byte)(unsafe.Pointer(&code))[:])
	in := params.inC()
	err := k.use(func(key unsafe.Pointer) C.otp_status {
		return C.otp_totp((*C.otp_key)(key), C.int64_t(at.Unix()), &in, &code[0])
	})
	return C.GoString(&code[0]), err
}

// HOTP returns the code of a counter, with 6 to 8 digits (RFC 4226, section 5).
func (k *Key) HOTP(counter uint64, digits int) (string, error) {
	var code [9]C.char
	defer wipe((*[9]byte)(unsafe.Pointer(&code))[:])
	err := k.use(func(key unsafe.Pointer) C.otp_status {
		return C.otp_hotp((*C.otp_key)(key), C.uint64_t(counter), unsigned(digits), &code[0])
	})
	return C.GoString(&code[0]), err
}

// VerifyTOTP compares a code, of ASCII digits as ReadTyped returns them, with those of the window (RFC 6238, section
// 5.2).
func (k *Key) VerifyTOTP(code string, at time.Time, params Params, window Window) (Match, error) {
	how, steps := params.inC(), window.inC()
	return k.verify(func(key *C.otp_key, out *C.otp_match) C.otp_status {
		first, length := text(code)
		return C.otp_totp_verify(key, first, length, C.int64_t(at.Unix()), &how, &steps, out)
	})
}

// VerifyHOTP compares a code with those of the expected counter and the next lookAhead ones, 0 to 1000 (RFC 4226,
// section 7.4). The next expected counter is Match.Step + 1.
func (k *Key) VerifyHOTP(code string, counter uint64, digits, lookAhead int) (Match, error) {
	return k.verify(func(key *C.otp_key, out *C.otp_match) C.otp_status {
		first, length := text(code)
		return C.otp_hotp_verify(
			key, first, length, C.uint64_t(counter), unsigned(digits), unsigned(lookAhead), out)
	})
}

// ResynchronizeHOTP finds two or three codes in a row of a token that has run ahead, the first of which is within the
// look-ahead (RFC 4226, section 7.4 and Appendix E.3). Match.Step is the counter of the last.
func (k *Key) ResynchronizeHOTP(codes []string, counter uint64, digits, lookAhead int) (Match, error) {
	texts, release := terminated(codes)
	defer release()
	return k.verify(func(key *C.otp_key, out *C.otp_match) C.otp_status {
		return C.otp_hotp_resynchronize(
			key, &texts[0], C.size_t(len(codes)), C.uint64_t(counter), unsigned(digits), unsigned(lookAhead), out)
	})
}

func (k *Key) verify(verify func(*C.otp_key, *C.otp_match) C.otp_status) (Match, error) {
	out := C.otp_match{size: C.sizeof_otp_match}
	err := k.use(func(key unsafe.Pointer) C.otp_status { return verify((*C.otp_key)(key), &out) })
	return match(&out), err
}

// terminated returns the first three of some codes as C's texts. A NUL in a code, which cannot be part of one, stays
// wrong.
func terminated(codes []string) (texts [3]*C.char, release func()) {
	if len(codes) > len(texts) {
		codes = codes[:len(texts)]
	}
	size := 0
	for _, code := range codes {
		size += len(code) + 1
	}
	memory, release := allocate[byte](size)
	for i, code := range codes {
		texts[i] = (*C.char)(unsafe.Pointer(&memory[0]))
		copy(memory, code)
		for j := range code {
			if code[j] == 0 {
				memory[j] = '?'
			}
		}
		memory = memory[len(code)+1:]
	}
	return texts, release
}

// A handle owns an object of C's. It destroys it once, when it is closed and no call uses it any more.
type handle struct {
	object   unsafe.Pointer
	destroy  func(unsafe.Pointer)
	users    atomic.Int64 // the calls that use the object, and 1 until it is closed
	isClosed atomic.Bool
}

func (h *handle) open(object unsafe.Pointer, destroy func(unsafe.Pointer)) {
	h.object, h.destroy = object, destroy
	h.users.Store(1)
}

func (h *handle) close() {
	if h.isClosed.CompareAndSwap(false, true) {
		h.release()
	}
}

// acquire returns the object, to be released after use, or nil if it is closed.
func (h *handle) acquire() unsafe.Pointer {
	for !h.isClosed.Load() {
		users := h.users.Load()
		if users <= 0 {
			break
		}
		if h.users.CompareAndSwap(users, users+1) {
			return h.object
		}
	}
	return nil
}

func (h *handle) release() {
	if h.users.Add(-1) == 0 {
		h.destroy(h.object)
	}
}

// use calls C with the object, which the finalizer cannot destroy meanwhile. (C refuses a null pointer.)
func (h *handle) use(call func(object unsafe.Pointer) C.otp_status) error {
	object := h.acquire()
	if object != nil {
		defer h.release()
	}
	return failure(call(object))
}
