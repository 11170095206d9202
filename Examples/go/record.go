package otp

/*
#cgo pkg-config: libotp
#include <otp.h>
#include <stdlib.h>
#include <string.h>

// Go may not pass C a pointer to memory that holds pointers to Go's memory, so structures with pointers are filled in
// here, from arguments that C gets one by one.

static otp_status keyring_create(
    size_t count, const char *names, const size_t *name_lens, const uint8_t *keys, const size_t *key_lens,
    otp_keyring **out) {
  otp_named_key named[64];
  if (count > 64) return OTP_INVALID_ARGUMENT;
  for (size_t i = 0; i < count; i++) {
    named[i] = (otp_named_key){sizeof named[i], names, name_lens[i], keys, key_lens[i]};
    names += name_lens[i];
    keys += key_lens[i];
  }
  const otp_status status = otp_keyring_create(named, count, out);
  memset(named, 0, sizeof named);
  return status;
}

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

// Errors of keyrings and records, beside those of otp.go. All are the server's failure, or a record that is not what it
// was; none is a wrong code.
const (
	ErrMalformedRecord         Error = C.OTP_MALFORMED_RECORD
	ErrLaterRecord             Error = C.OTP_LATER_RECORD
	ErrWrongEncoding           Error = C.OTP_WRONG_ENCODING
	ErrAnotherSubject          Error = C.OTP_ANOTHER_SUBJECT
	ErrAnotherKind             Error = C.OTP_ANOTHER_KIND
	ErrUnknownKey              Error = C.OTP_UNKNOWN_KEY
	ErrNotAuthentic            Error = C.OTP_NOT_AUTHENTIC
	ErrInvalidSubject          Error = C.OTP_INVALID_SUBJECT
	ErrNotPending              Error = C.OTP_NOT_PENDING
	ErrKeyringUnreadable       Error = C.OTP_KEYRING_UNREADABLE
	ErrKeyringReadableByOthers Error = C.OTP_KEYRING_READABLE_BY_OTHERS
	ErrKeyringMalformed        Error = C.OTP_KEYRING_MALFORMED
	ErrKeyringCorrupt          Error = C.OTP_KEYRING_CORRUPT
	ErrDuplicateKeyName        Error = C.OTP_DUPLICATE_KEY_NAME
)

// A Keyring seals records: all that a server must remember about a user's second factor, for one column of its table.
// Any number of goroutines can use one. There is one rule, the same for every outcome: replace the record that you read
// by the one that you got, if it is still there; answer only if that succeeded; otherwise read again (ReplaceUnder).
//
//	UPDATE users SET otp = $new WHERE id = $id AND otp = $old
//
// A subject says whose factor it is: 1 to 1,024 bytes, such as "user 42", which never change.
type Keyring struct{ pointer *C.otp_keyring }

// A NamedKey is a key of a keyring: a name of 1 to 32 characters, never used for another key, and 32 random bytes.
type NamedKey struct {
	Name string
	Key  []byte
}

// OpenKeyring reads a keyring's file, as `otp keyring new` writes it.
func OpenKeyring(path string) (*Keyring, error) {
	if strings.ContainsRune(path, 0) {
		return nil, ErrInvalidArgument
	}
	text := C.CString(path)
	defer C.free(unsafe.Pointer(text))
	keyring := new(Keyring)
	return keyring.or(C.otp_keyring_open(text, &keyring.pointer))
}

// NewKeyring makes a keyring of keys from elsewhere. The first one seals; the others open what they sealed before.
func NewKeyring(keys ...NamedKey) (*Keyring, error) {
	var names, bytes []byte
	nameLengths, lengths := make([]C.size_t, len(keys)+1), make([]C.size_t, len(keys)+1)
	for i, key := range keys {
		names, bytes = append(names, key.Name...), append(bytes, key.Key...)
		nameLengths[i], lengths[i] = C.size_t(len(key.Name)), C.size_t(len(key.Key))
	}
	first, _ := pointer(bytes)
	name, _ := pointer(names)
	keyring := new(Keyring)
	status := C.keyring_create(
		C.size_t(len(keys)), (*C.char)(unsafe.Pointer(name)), &nameLengths[0], first, &lengths[0], &keyring.pointer)
	for i := range bytes {
		bytes[i] = 0
	}
	return keyring.or(status)
}

// NewUnsealedKeyring makes a keyring that seals NOTHING, for a caller that encrypts and authenticates each record by
// other means.
func NewUnsealedKeyring() (*Keyring, error) {
	keyring := new(Keyring)
	return keyring.or(C.otp_keyring_create_unsealed(&keyring.pointer))
}

func (k *Keyring) or(status C.otp_status) (*Keyring, error) {
	if err := failure(status); err != nil {
		return nil, err
	}
	return k, nil
}

// Close wipes and releases the keys. Methods of a closed keyring return ErrInvalidArgument.
func (k *Keyring) Close() {
	C.otp_keyring_destroy(k.pointer)
	k.pointer = nil
}

// A Policy says which codes are accepted, and how many wrong ones; otp.h has each member's range.
type Policy struct {
	AdjacentIntervals, DriftLimit, ResynchronizationSteps uint32
	LookAhead, ResynchronizationLookAhead                 uint32
	FailuresUntilLock                                     uint32
	LockSeconds                                           int64
	FirstDelayedFailure                                   uint32
	InitialDelaySeconds                                   int64
}

// DefaultPolicy allows five steps either way; ten failures lock for an hour, and from the fourth on there are delays.
// StrictPolicy allows one step, and searches no further.
var (
	DefaultPolicy = Policy{5, 0, 1500, 10, 100, 10, 3600, 4, 1}
	StrictPolicy  = Policy{1, 0, 0, 0, 0, 10, 3600, 4, 1}
)

func (p Policy) inC() C.otp_record_policy {
	return C.otp_record_policy{
		size: C.sizeof_otp_record_policy, adjacent_intervals: C.uint(p.AdjacentIntervals),
		drift_limit: C.uint(p.DriftLimit), resynchronization_steps: C.uint(p.ResynchronizationSteps),
		look_ahead: C.uint(p.LookAhead), resynchronization_look_ahead: C.uint(p.ResynchronizationLookAhead),
		failures_until_lock: C.uint(p.FailuresUntilLock), lock_seconds: C.int64_t(p.LockSeconds),
		first_delayed_failure: C.uint(p.FirstDelayedFailure), initial_delay_seconds: C.int64_t(p.InitialDelaySeconds),
	}
}

// An AnswerKind is what became of what a user submitted. Treat an unknown one as AnswerRejected.
type AnswerKind uint32

const (
	AnswerRejected AnswerKind = C.OTP_ANSWER_REJECTED
	AnswerAccepted AnswerKind = C.OTP_ANSWER_ACCEPTED
	AnswerEnrolled AnswerKind = C.OTP_ANSWER_ENROLLED
	AnswerWait     AnswerKind = C.OTP_ANSWER_WAIT
	AnswerLocked   AnswerKind = C.OTP_ANSWER_LOCKED
)

// A Reason says why a code was rejected: for the log, never for the client.
type Reason uint32

const (
	ReasonNone      Reason = C.OTP_REASON_NONE
	ReasonMalformed Reason = C.OTP_REASON_MALFORMED
	ReasonWrong     Reason = C.OTP_REASON_WRONG
	ReasonReplayed  Reason = C.OTP_REASON_REPLAYED
	ReasonLate      Reason = C.OTP_REASON_LATE
	ReasonEarly     Reason = C.OTP_REASON_EARLY
	ReasonPending   Reason = C.OTP_REASON_PENDING
	ReasonConfirmed Reason = C.OTP_REASON_CONFIRMED
	ReasonDisabled  Reason = C.OTP_REASON_DISABLED
	ReasonUsedUp    Reason = C.OTP_REASON_USED_UP
)

// An Answer means something only once its Record has replaced the one that it was computed from.
type Answer struct {
	Kind   AnswerKind
	Reason Reason
	// Record is the new record, and Changed whether it differs from the old one: if not, nothing need be written.
	Record  []byte
	Changed bool
	// Step is that of an accepted code, its counter (HOTP), or the number of the recovery code.
	Step uint64
	// Drift is how many steps the user's clock is ahead, as far as that is known.
	Drift int64
	// Until is when an attempt will be looked at again; zero for a lock that only Unlock ends, and without any.
	Until time.Time
}

// An Enrollment says what to enroll. The zero Enrollment is a new TOTP secret for SHA-1, six digits and 30 seconds.
type Enrollment struct {
	IsHOTP  bool
	Hash    Hash   // 0: SHA1
	Digits  uint32 // 0: 6
	Period  int64  // TOTP, in seconds; 0: 30
	T0      int64
	Counter uint64 // HOTP: the first one whose code is accepted
	Secret  []byte // nil: a new random one
	// IsConfirmed and After are for a factor from another system, and the step that was accepted there last.
	IsConfirmed bool
	After       *uint64
	// Previous is the subject's record that this one replaces: its failures stay counted.
	Previous []byte
}

// Enroll makes a new record, pending until Confirm.
func (k *Keyring) Enroll(subject string, enrollment Enrollment, now time.Time) ([]byte, error) {
	in := C.otp_enrollment{
		size: C.sizeof_otp_enrollment, _type: C.OTP_TOTP, hash: C.otp_hash(enrollment.Hash),
		digits: C.uint(enrollment.Digits), period: C.int64_t(enrollment.Period), t0: C.int64_t(enrollment.T0),
		counter: C.uint64_t(enrollment.Counter),
	}
	if enrollment.IsHOTP {
		in._type = C.OTP_HOTP
	}
	if enrollment.Hash == 0 {
		in.hash = C.OTP_SHA1
	}
	if enrollment.Digits == 0 {
		in.digits = 6
	}
	if enrollment.Period == 0 {
		in.period = 30
	}
	if enrollment.IsConfirmed {
		in.is_confirmed = 1
	}
	if enrollment.After != nil {
		in.has_after, in.after = 1, C.uint64_t(*enrollment.After)
	}
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

func answer(record []byte, from *C.otp_answer, err error) (Answer, error) {
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{
		Kind: AnswerKind(from.kind), Reason: Reason(from.reason), Record: record, Changed: from.changed != 0,
		Step: uint64(from.step), Drift: int64(from.drift),
	}
	if from.has_until != 0 {
		answer.Until = time.Unix(int64(from.until), 0)
	}
	return answer, nil
}

// A Diagnosis says how the user's app computes the code that it showed, if not as it was enrolled.
type Diagnosis struct {
	Hash   Hash
	Digits uint32
	Period time.Duration
	// ClockOffset is how far its clock is ahead (TOTP), and CounterOffset how many codes it is ahead (HOTP).
	ClockOffset   time.Duration
	CounterOffset int64
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

// A RecordKind is what a record is of.
type RecordKind uint32

const (
	RecordTOTP          RecordKind = C.OTP_RECORD_TOTP
	RecordHOTP          RecordKind = C.OTP_RECORD_HOTP
	RecordRecoveryCodes RecordKind = C.OTP_RECORD_RECOVERY_CODES
)

// Details are what an operator may see of a record: never its secret.
type Details struct {
	Kind           RecordKind
	IsPending      bool
	Hash           Hash
	Digits         uint32
	Period, T0     int64
	HasWeakSecret  bool
	LastAccepted   *uint64
	Drift          int64
	Failures       uint64
	Acceptances    uint64
	EnrollmentTime time.Time
	LastAttempt    *time.Time
	UnusedCodes    []int
	KeyName        string
}

// Info describes a record.
func (k *Keyring) Info(subject string, record []byte) (Details, error) {
	found := C.otp_record_details{size: C.sizeof_otp_record_details}
	bytes, count := pointer(record)
	if err := failure(C.record_info(k.pointer, subject, bytes, count, &found)); err != nil {
		return Details{}, err
	}
	details := Details{
		Kind: RecordKind(found.kind), IsPending: found.is_pending != 0, Hash: Hash(found.hash),
		Digits: uint32(found.digits), Period: int64(found.period), T0: int64(found.t0),
		HasWeakSecret: found.has_weak_secret != 0, Drift: int64(found.drift), Failures: uint64(found.failures),
		Acceptances: uint64(found.acceptances), EnrollmentTime: time.Unix(int64(found.enrollment_time), 0),
		KeyName: C.GoString(&found.key_name[0]),
	}
	if found.has_last_accepted != 0 {
		last := uint64(found.last_accepted)
		details.LastAccepted = &last
	}
	if found.has_last_attempt != 0 {
		last := time.Unix(int64(found.last_attempt_time), 0)
		details.LastAttempt = &last
	}
	for number := 1; number <= 20; number++ {
		if found.unused_codes>>(number-1)&1 != 0 {
			details.UnusedCodes = append(details.UnusedCodes, number)
		}
	}
	return details, nil
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
		if err != nil || !found.Changed {
			return found, err
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
