package otp

/*
#include <otp.h>
#include <string.h>

static otp_status record_enroll(
    const otp_keyring *keyring, _GoString_ subject, const otp_enrollment *given, const uint8_t *secret,
    size_t secret_len, const uint8_t *previous, size_t previous_len, int64_t now, uint8_t *out, size_t *out_len) {
  otp_enrollment enrollment = *given;
  enrollment.secret = secret;
  enrollment.secret_len = secret_len;
  return otp_record_enroll(
      keyring, _GoStringPtr(subject), _GoStringLen(subject), &enrollment, previous, previous_len, now, out, out_len);
}

static otp_status record_uri(
    const otp_keyring *keyring, _GoString_ subject, const uint8_t *record, size_t record_len, _GoString_ issuer,
    _GoString_ account, char *out, size_t *out_len) {
  return otp_record_uri(
      keyring, _GoStringPtr(subject), _GoStringLen(subject), record, record_len, _GoStringPtr(issuer),
      _GoStringLen(issuer), _GoStringPtr(account), _GoStringLen(account), out, out_len);
}

static otp_status record_codes(
    const otp_keyring *keyring, _GoString_ subject, size_t count, int64_t now, char *codes, size_t codes_len,
    uint8_t *out, size_t *out_len) {
  return otp_record_recovery_codes(
      keyring, _GoStringPtr(subject), _GoStringLen(subject), count, now, codes, codes_len, out, out_len);
}

static otp_status record_submit(
    int confirms, const otp_keyring *keyring, _GoString_ subject, const uint8_t *record, size_t record_len,
    _GoString_ typed, int64_t now, const otp_record_policy *policy, uint8_t *out, size_t *out_len,
    otp_answer *answer) {
  return (confirms ? otp_record_confirm : otp_record_verify)(
      keyring, _GoStringPtr(subject), _GoStringLen(subject), record, record_len, _GoStringPtr(typed),
      _GoStringLen(typed), now, policy, out, out_len, answer);
}

// The codes are texts one after another, each with a NUL.
static otp_status record_resynchronize(
    const otp_keyring *keyring, _GoString_ subject, const uint8_t *record, size_t record_len, const char *codes,
    size_t count, int64_t now, const otp_record_policy *policy, uint8_t *out, size_t *out_len, otp_answer *answer) {
  const char *texts[3] = {0};
  for (size_t i = 0; i < count && i < 3; i++) {
    texts[i] = codes;
    codes += strlen(codes) + 1;
  }
  return otp_record_resynchronize(
      keyring, _GoStringPtr(subject), _GoStringLen(subject), record, record_len, texts, count, now, policy, out,
      out_len, answer);
}

static otp_status record_diagnose(
    const otp_keyring *keyring, _GoString_ subject, const uint8_t *record, size_t record_len, _GoString_ typed,
    int64_t now, otp_diagnosis *out) {
  return otp_record_diagnose(
      keyring, _GoStringPtr(subject), _GoStringLen(subject), record, record_len, _GoStringPtr(typed),
      _GoStringLen(typed), now, out);
}

enum { UNLOCK, RESEAL };

static otp_status record_rewrite(
    int how, const otp_keyring *keyring, _GoString_ subject, const uint8_t *record, size_t record_len, uint8_t *out,
    size_t *out_len) {
  return (how == UNLOCK ? otp_record_unlock : otp_record_reseal)(
      keyring, _GoStringPtr(subject), _GoStringLen(subject), record, record_len, out, out_len);
}

static otp_status record_spend(
    const otp_keyring *keyring, _GoString_ subject, const uint8_t *record, size_t record_len, int64_t until,
    const otp_record_policy *policy, uint8_t *out, size_t *out_len) {
  return otp_record_spend(
      keyring, _GoStringPtr(subject), _GoStringLen(subject), record, record_len, until, policy, out, out_len);
}

static otp_status record_info(
    const otp_keyring *keyring, _GoString_ subject, const uint8_t *record, size_t record_len,
    otp_record_details *out) {
  return otp_record_info(keyring, _GoStringPtr(subject), _GoStringLen(subject), record, record_len, out);
}
*/
import "C"

import (
	"strings"
	"time"
	"unsafe"
)

// Enroll makes a new record, pending until Confirm.
func (k *Keyring) Enroll(subject string, enrollment Enrollment, now time.Time) ([]byte, error) {
	in := enrollment.inC()
	if enrollment.Secret != nil && len(enrollment.Secret) == 0 {
		return nil, ErrEmptySecret
	}
	secret, secretLength := pointer(enrollment.Secret)
	previous, previousLength := pointer(enrollment.Previous)
	return written(func(out *C.uint8_t, length *C.size_t) C.otp_status {
		return C.record_enroll(
			k.pointer, subject, &in, secret, secretLength, previous, previousLength, C.int64_t(now.Unix()), out, length)
	})
}

// RecoveryCodes makes a record of 1 to 20 new recovery codes, and returns them: show them once, numbered from 1.
func (k *Keyring) RecoveryCodes(subject string, count int, now time.Time) (record []byte, codes []string, err error) {
	const room = C.OTP_RECOVERY_CODE_LENGTH + 1
	if count < 1 || count > 20 {
		return nil, nil, ErrInvalidArgument
	}
	var texts [20 * room]C.char
	record, err = written(func(out *C.uint8_t, length *C.size_t) C.otp_status {
		return C.record_codes(
			k.pointer, subject, C.size_t(count), C.int64_t(now.Unix()), &texts[0], C.size_t(len(texts)), out, length)
	})
	for i := 0; err == nil && i < count; i++ {
		codes = append(codes, C.GoString(&texts[i*room]))
	}
	return record, codes, err
}

// URI returns the key URI of a pending record, for a QR code that only the user who enrolls sees: it has the secret.
func (k *Keyring) URI(subject string, record []byte, issuer, account string) (string, error) {
	var text [C.OTP_URI_MAX + 1]C.char
	length := C.size_t(len(text))
	bytes, count := pointer(record)
	status := C.record_uri(k.pointer, subject, bytes, count, issuer, account, &text[0], &length)
	if err := failure(status); err != nil {
		return "", err
	}
	return C.GoStringN(&text[0], C.int(length)), nil
}

// Confirm confirms an enrollment by a code, which is spent: AnswerEnrolled. A failure is not counted.
func (k *Keyring) Confirm(subject string, record []byte, typed string, now time.Time, policy Policy) (Answer, error) {
	return k.submit(1, subject, record, typed, now, policy)
}

// Verify verifies what a user typed to sign in: it counts the attempt, checks the code, and spends it.
func (k *Keyring) Verify(subject string, record []byte, typed string, now time.Time, policy Policy) (Answer, error) {
	return k.submit(0, subject, record, typed, now, policy)
}

func (k *Keyring) submit(
	confirms C.int, subject string, record []byte, typed string, now time.Time, policy Policy,
) (Answer, error) {
	in, found := policy.inC(), C.otp_answer{size: C.sizeof_otp_answer}
	bytes, count := pointer(record)
	next, err := written(func(out *C.uint8_t, length *C.size_t) C.otp_status {
		return C.record_submit(
			confirms, k.pointer, subject, bytes, count, typed, C.int64_t(now.Unix()), &in, out, length, &found)
	})
	return answer(next, &found, err)
}

// Resynchronize verifies two or three consecutive codes of a token that has run ahead, or whose clock has drifted.
func (k *Keyring) Resynchronize(
	subject string, record []byte, codes []string, now time.Time, policy Policy,
) (Answer, error) {
	in, found := policy.inC(), C.otp_answer{size: C.sizeof_otp_answer}
	bytes, count := pointer(record)
	var texts []byte
	for _, code := range codes {
		texts = append(append(texts, strings.ReplaceAll(code, "\x00", "?")...), 0)
	}
	text, _ := pointer(texts)
	next, err := written(func(out *C.uint8_t, length *C.size_t) C.otp_status {
		return C.record_resynchronize(
			k.pointer, subject, bytes, count, (*C.char)(unsafe.Pointer(text)), C.size_t(len(codes)),
			C.int64_t(now.Unix()), &in, out, length, &found)
	})
	return answer(next, &found, err)
}

// Diagnose explains a code that does not confirm a pending record; nil if nothing does. For the operator.
func (k *Keyring) Diagnose(subject string, record []byte, typed string, now time.Time) (*Diagnosis, error) {
	found := C.otp_diagnosis{size: C.sizeof_otp_diagnosis}
	bytes, count := pointer(record)
	status := C.record_diagnose(k.pointer, subject, bytes, count, typed, C.int64_t(now.Unix()), &found)
	if err := failure(status); err != nil || found.found == 0 {
		return nil, err
	}
	return &Diagnosis{
		Hash(found.hash), uint32(found.digits), time.Duration(found.period) * time.Second,
		time.Duration(found.clock_offset) * time.Second, int64(found.counter_offset),
	}, nil
}

// Unlock clears the failures, and so ends a delay or lock: for an administrator who has made sure of who is asking.
func (k *Keyring) Unlock(subject string, record []byte) ([]byte, error) {
	return k.rewrite(C.UNLOCK, subject, record)
}

// Reseal seals a record again if another key than the first has sealed it; otherwise it stays as it is.
func (k *Keyring) Reseal(subject string, record []byte) ([]byte, error) {
	return k.rewrite(C.RESEAL, subject, record)
}

func (k *Keyring) rewrite(how C.int, subject string, record []byte) ([]byte, error) {
	bytes, count := pointer(record)
	return written(func(out *C.uint8_t, length *C.size_t) C.otp_status {
		return C.record_rewrite(how, k.pointer, subject, bytes, count, out, length)
	})
}

// Spend spends each TOTP code that may have been accepted up to a moment: after a backup was restored.
func (k *Keyring) Spend(subject string, record []byte, until time.Time, policy Policy) ([]byte, error) {
	in := policy.inC()
	bytes, count := pointer(record)
	return written(func(out *C.uint8_t, length *C.size_t) C.otp_status {
		return C.record_spend(k.pointer, subject, bytes, count, C.int64_t(until.Unix()), &in, out, length)
	})
}

// Info describes a record.
func (k *Keyring) Info(subject string, record []byte) (Details, error) {
	found := C.otp_record_details{size: C.sizeof_otp_record_details}
	bytes, count := pointer(record)
	if err := failure(C.record_info(k.pointer, subject, bytes, count, &found)); err != nil {
		return Details{}, err
	}
	return details(&found), nil
}

// ReplaceUnder is the one rule: it returns an answer whose record has replaced the one that it was computed from.
//
//   - read reads the column;
//   - answer computes an answer from the record, such as by Verify;
//   - replace takes the old and the new record, and reports whether the old one was still there and is replaced,
//     durably.
func ReplaceUnder(
	read func() ([]byte, error), answer func(record []byte) (Answer, error), replace func(old, new []byte) (bool, error),
) (Answer, error) {
	for {
		old, err := read()
		if err != nil {
			return Answer{}, err
		}
		found, err := answer(old)
		if err != nil {
			return Answer{}, err
		}
		if !found.Changed {
			return found, nil
		}
		if isReplaced, err := replace(old, found.Record); err != nil {
			return Answer{}, err
		} else if isReplaced {
			return found, nil
		}
	}
}

// written returns what a function writes.
func written(write func(out *C.uint8_t, length *C.size_t) C.otp_status) ([]byte, error) {
	var room [C.OTP_RECORD_MAX]byte
	length := C.size_t(len(room))
	if err := failure(write((*C.uint8_t)(&room[0]), &length)); err != nil {
		return nil, err
	}
	return append([]byte(nil), room[:length]...), nil
}
