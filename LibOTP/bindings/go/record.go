package otp

/*
#include <otp.h>

// Structures with pointers to Go's memory are filled in here: see uri_build.
static otp_status record_enroll(
    const otp_keyring *keyring, const void *subject, size_t subject_len, otp_enrollment enrollment,
    const uint8_t *secret, size_t secret_len, const uint8_t *previous, size_t previous_len, int64_t now, uint8_t *out,
    size_t *out_len) {
  enrollment.secret = secret;
  enrollment.secret_len = secret_len;
  return otp_record_enroll(keyring, subject, subject_len, &enrollment, previous, previous_len, now, out, out_len);
}
*/
import "C"

import (
	"bytes"
	"time"
	"unsafe"
)

// Enroll makes a new record, pending until Confirm.
func (k *Keyring) Enroll(subject string, enrollment Enrollment, now time.Time) ([]byte, error) {
	if enrollment.Secret != nil && len(enrollment.Secret) == 0 {
		return nil, ErrEmptySecret
	}
	in := enrollment.inC()
	secret, length := pointer(enrollment.Secret)
	return k.write(subject, enrollment.Previous, func(c *call) C.otp_status {
		return C.record_enroll(
			c.keyring, c.subject, c.subjectLen, in, secret, length, c.record, c.recordLen, C.int64_t(now.Unix()), c.out,
			&c.outLen)
	})
}

// RecoveryCodes makes a record of 1 to 20 new recovery codes of 120 bits, each for one use, and returns them: show them
// once, numbered from 1. They need no confirmation. The failures of the codes that they replace, if there are any, stay
// counted.
func (k *Keyring) RecoveryCodes(
	subject string, count int, previous []byte, now time.Time,
) (record []byte, codes []string, err error) {
	const room = C.OTP_RECOVERY_CODE_LENGTH + 1
	if count < 1 || count > 20 {
		return nil, nil, ErrInvalidArgument
	}
	texts := make([]byte, count*room)
	defer wipe(texts)
	record, err = k.write(subject, previous, func(c *call) C.otp_status {
		return C.otp_record_recovery_codes(
			c.keyring, c.subject, c.subjectLen, C.size_t(count), c.record, c.recordLen, C.int64_t(now.Unix()),
			(*C.char)(unsafe.Pointer(&texts[0])), C.size_t(len(texts)), c.out, &c.outLen)
	})
	for i := 0; err == nil && i < count; i++ {
		codes = append(codes, string(texts[i*room:(i+1)*room-1]))
	}
	return record, codes, err
}

// URI returns the key URI of a pending record, for a QR code that only the user who enrolls sees: it has the secret.
func (k *Keyring) URI(subject string, record []byte, issuer, account string) (string, error) {
	return writtenURI(func(out *C.char, outLength *C.size_t) error {
		return k.read(subject, record, func(c *call) C.otp_status {
			first, length := text(issuer)
			name, nameLength := text(account)
			return C.otp_record_uri(
				c.keyring, c.subject, c.subjectLen, c.record, c.recordLen, first, length, name, nameLength, out,
				outLength)
		})
	})
}

// Confirm confirms an enrollment by a code, which is spent: AnswerEnrolled. A failure is not counted.
func (k *Keyring) Confirm(subject string, record []byte, typed string, now time.Time, policy Policy) (Answer, error) {
	return k.submit(subject, record, policy, func(c *call, in *C.otp_record_policy, found *C.otp_answer) C.otp_status {
		first, length := text(typed)
		return C.otp_record_confirm(
			c.keyring, c.subject, c.subjectLen, c.record, c.recordLen, first, length, C.int64_t(now.Unix()), in, c.out,
			&c.outLen, found)
	})
}

// Verify verifies what a user typed to sign in: it counts the attempt, checks the code, and spends it.
func (k *Keyring) Verify(subject string, record []byte, typed string, now time.Time, policy Policy) (Answer, error) {
	return k.submit(subject, record, policy, func(c *call, in *C.otp_record_policy, found *C.otp_answer) C.otp_status {
		first, length := text(typed)
		return C.otp_record_verify(
			c.keyring, c.subject, c.subjectLen, c.record, c.recordLen, first, length, C.int64_t(now.Unix()), in, c.out,
			&c.outLen, found)
	})
}

// Resynchronize verifies two or three consecutive codes, as one attempt, of a token that has run ahead or whose clock
// has drifted.
func (k *Keyring) Resynchronize(
	subject string, record []byte, codes []string, now time.Time, policy Policy,
) (Answer, error) {
	texts, release := terminated(codes)
	defer release()
	return k.submit(subject, record, policy, func(c *call, in *C.otp_record_policy, found *C.otp_answer) C.otp_status {
		return C.otp_record_resynchronize(
			c.keyring, c.subject, c.subjectLen, c.record, c.recordLen, &texts[0], C.size_t(len(codes)),
			C.int64_t(now.Unix()), in, c.out, &c.outLen, found)
	})
}

// Diagnose explains a code that does not confirm a pending record, to the operator; nil if nothing does.
func (k *Keyring) Diagnose(subject string, record []byte, typed string, now time.Time) (*Diagnosis, error) {
	found := C.otp_diagnosis{size: C.sizeof_otp_diagnosis}
	err := k.read(subject, record, func(c *call) C.otp_status {
		first, length := text(typed)
		return C.otp_record_diagnose(
			c.keyring, c.subject, c.subjectLen, c.record, c.recordLen, first, length, C.int64_t(now.Unix()), &found)
	})
	if err != nil || found.found == 0 {
		return nil, err
	}
	return &Diagnosis{
		Hash(found.hash), int(found.digits), int64(found.period), time.Duration(found.clock_offset) * time.Second,
		int64(found.counter_offset),
	}, nil
}

// Explain explains to an administrator why a code is not accepted, of a confirmed record too. It counts no attempt.
func (k *Keyring) Explain(
	subject string, record []byte, typed string, now time.Time, policy Policy,
) (Explanation, error) {
	in, found := policy.inC(), C.otp_explanation{size: C.sizeof_otp_explanation}
	err := k.read(subject, record, func(c *call) C.otp_status {
		first, length := text(typed)
		return C.otp_record_explain(
			c.keyring, c.subject, c.subjectLen, c.record, c.recordLen, first, length, C.int64_t(now.Unix()), &in, &found)
	})
	if err != nil {
		return Explanation{}, err
	}
	return explanation(&found), nil
}

// Unlock clears the failures, which ends a delay or lock: for an administrator who has verified who is asking.
func (k *Keyring) Unlock(subject string, record []byte, now time.Time) ([]byte, error) {
	return k.write(subject, record, func(c *call) C.otp_status {
		return C.otp_record_unlock(
			c.keyring, c.subject, c.subjectLen, c.record, c.recordLen, C.int64_t(now.Unix()), c.out, &c.outLen)
	})
}

// Reseal seals a record again if another key than the first has sealed it: before the old key is removed.
func (k *Keyring) Reseal(subject string, record []byte) ([]byte, error) {
	return k.write(subject, record, func(c *call) C.otp_status {
		return C.otp_record_reseal(c.keyring, c.subject, c.subjectLen, c.record, c.recordLen, c.out, &c.outLen)
	})
}

// Spend spends each TOTP code that may have been accepted up to a moment: after a backup was restored.
func (k *Keyring) Spend(subject string, record []byte, until time.Time, policy Policy) ([]byte, error) {
	in := policy.inC()
	return k.write(subject, record, func(c *call) C.otp_status {
		return C.otp_record_spend(
			c.keyring, c.subject, c.subjectLen, c.record, c.recordLen, C.int64_t(until.Unix()), &in, c.out, &c.outLen)
	})
}

// Info describes a record.
func (k *Keyring) Info(subject string, record []byte) (Details, error) {
	found := C.otp_record_details{size: C.sizeof_otp_record_details}
	err := k.read(subject, record, func(c *call) C.otp_status {
		return C.otp_record_info(c.keyring, c.subject, c.subjectLen, c.record, c.recordLen, &found)
	})
	if err != nil {
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
//
// It ends with the first error. To give up when a context is done, let read or replace return its error. If replace
// refuses sixteen times what read returns, it can never succeed, as with a column that is NULL or, in SQLite, text:
// ErrInvalidArgument.
func ReplaceUnder(
	read func() ([]byte, error), answer func(record []byte) (Answer, error), replace func(old, new []byte) (bool, error),
) (Answer, error) {
	var last []byte
	for refused := 0; refused < 16; refused++ {
		old, err := read()
		if err != nil {
			return Answer{}, err
		}
		if !bytes.Equal(old, last) {
			refused, last = 0, old
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
	return Answer{}, ErrInvalidArgument
}

// A call has the arguments that the functions of records share.
type call struct {
	keyring    *C.otp_keyring
	subject    unsafe.Pointer
	subjectLen C.size_t
	record     *C.uint8_t
	recordLen  C.size_t
	out        *C.uint8_t
	outLen     C.size_t
}

func (k *Keyring) read(subject string, record []byte, function func(*call) C.otp_status) error {
	return k.use(func(keyring unsafe.Pointer) C.otp_status {
		name, length := text(subject)
		bytes, count := pointer(record)
		return function(&call{
			keyring: (*C.otp_keyring)(keyring), subject: unsafe.Pointer(name), subjectLen: length, record: bytes,
			recordLen: count,
		})
	})
}

// write returns the record that a function writes.
func (k *Keyring) write(subject string, record []byte, function func(*call) C.otp_status) ([]byte, error) {
	return written(C.OTP_RECORD_MAX, func(room []byte) (int, error) {
		var length C.size_t
		err := k.read(subject, record, func(c *call) C.otp_status {
			c.out, c.outLen = pointer(room)
			status := function(c)
			length = c.outLen
			return status
		})
		return int(length), err
	})
}

func (k *Keyring) submit(
	subject string, record []byte, policy Policy, function func(*call, *C.otp_record_policy, *C.otp_answer) C.otp_status,
) (Answer, error) {
	in, found := policy.inC(), C.otp_answer{size: C.sizeof_otp_answer}
	next, err := k.write(subject, record, func(c *call) C.otp_status { return function(c, &in, &found) })
	if err != nil {
		return Answer{}, err
	}
	return answer(next, &found), nil
}
