package otp

/*
#include <otp.h>

// Go sees no macros that are initializers.
static otp_record_policy default_policy(void) { return (otp_record_policy)OTP_RECORD_POLICY_INIT; }
static otp_record_policy strict_policy(void) { return (otp_record_policy)OTP_RECORD_POLICY_STRICT_INIT; }
*/
import "C"

import (
	"fmt"
	"io"
	"time"
)

// Errors of keyrings and records, beside those of otp.go. All are the server's failure, or a record that is not what it
// was; none is a wrong code.
const (
	ErrInvalidDigits           Error = C.OTP_INVALID_DIGITS
	ErrInvalidPeriod           Error = C.OTP_INVALID_PERIOD
	ErrMalformedRecord         Error = C.OTP_MALFORMED_RECORD
	ErrLaterRecord             Error = C.OTP_LATER_RECORD
	ErrWrongEncoding           Error = C.OTP_WRONG_ENCODING
	ErrAnotherSubject          Error = C.OTP_ANOTHER_SUBJECT
	ErrAnotherKind             Error = C.OTP_ANOTHER_KIND
	ErrUnknownKey              Error = C.OTP_UNKNOWN_KEY
	ErrNotAuthentic            Error = C.OTP_NOT_AUTHENTIC
	ErrInvalidSubject          Error = C.OTP_INVALID_SUBJECT
	ErrInvalidSecret           Error = C.OTP_INVALID_SECRET
	ErrNotPending              Error = C.OTP_NOT_PENDING
	ErrInvalidName             Error = C.OTP_INVALID_NAME
	ErrKeyringUnreadable       Error = C.OTP_KEYRING_UNREADABLE
	ErrKeyringReadableByOthers Error = C.OTP_KEYRING_READABLE_BY_OTHERS
	ErrKeyringMalformed        Error = C.OTP_KEYRING_MALFORMED
	ErrKeyringCorrupt          Error = C.OTP_KEYRING_CORRUPT
	ErrInvalidKeyName          Error = C.OTP_INVALID_KEY_NAME
	ErrInvalidKey              Error = C.OTP_INVALID_KEY
	ErrDuplicateKeyName        Error = C.OTP_DUPLICATE_KEY_NAME
)

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
	DefaultPolicy = policy(C.default_policy())
	StrictPolicy  = policy(C.strict_policy())
)

func policy(from C.otp_record_policy) Policy {
	return Policy{
		uint32(from.adjacent_intervals), uint32(from.drift_limit), uint32(from.resynchronization_steps),
		uint32(from.look_ahead), uint32(from.resynchronization_look_ahead), uint32(from.failures_until_lock),
		int64(from.lock_seconds), uint32(from.first_delayed_failure), int64(from.initial_delay_seconds),
	}
}

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

// Format hides the record, whatever the verb.
func (a Answer) Format(to fmt.State, _ rune) {
	fmt.Fprintf(to, "<otp.Answer %d, reason %d>", a.Kind, a.Reason)
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

// Format hides the secret, whatever the verb.
func (Enrollment) Format(to fmt.State, _ rune) { io.WriteString(to, "<otp.Enrollment>") }

func (e *Enrollment) inC() C.otp_enrollment {
	in := C.otp_enrollment{
		size: C.sizeof_otp_enrollment, _type: C.OTP_TOTP, hash: C.otp_hash(e.Hash),
		digits: C.uint(e.Digits), period: C.int64_t(e.Period), t0: C.int64_t(e.T0),
		counter: C.uint64_t(e.Counter),
	}
	if e.IsHOTP {
		in._type = C.OTP_HOTP
	}
	if e.Hash == 0 {
		in.hash = C.OTP_SHA1
	}
	if e.Digits == 0 {
		in.digits = 6
	}
	if e.Period == 0 {
		in.period = 30
	}
	if e.IsConfirmed {
		in.is_confirmed = 1
	}
	if e.After != nil {
		in.has_after, in.after = 1, C.uint64_t(*e.After)
	}
	return in
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

func details(found *C.otp_record_details) Details {
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
	return details
}
