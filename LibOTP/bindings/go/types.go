package otp

// #include <otp.h>
import "C"

import (
	"fmt"
	"io"
	"time"
)

// A Policy says which codes are accepted, and how many wrong ones. Begin with DefaultPolicy or StrictPolicy. A part of
// a second counts as a whole one.
type Policy struct {
	// TOTP: how many steps early or late a code may be, 0 to 10; how many steps of clock drift are learned from accepted
	// codes, 0 to 10; and how many steps early or late consecutive codes are searched for, 0 to 1500.
	AdjacentSteps, DriftLimit, ResynchronizationSteps int
	// HOTP: how many counters ahead a code and consecutive codes are searched for, 0 to 1000.
	LookAhead, ResynchronizationLookAhead int
	// How many consecutive failures lock the factor, 1 to 100, and for how long, up to 2^32 seconds; 0 until Unlock. After
	// 100 failures, only a new enrollment helps.
	FailuresUntilLock int
	Lock              time.Duration
	// From how many failures on the next attempt must wait, 1 or more, and how long at first: doubled with each further
	// failure, up to Lock.
	FirstDelayedFailure int
	InitialDelay        time.Duration
}

// DefaultPolicy allows one step either way, and drift up to five; four failures begin delays, ten lock for an hour.
func DefaultPolicy() Policy {
	found := C.otp_record_policy{size: C.sizeof_otp_record_policy}
	C.otp_record_policy_init(&found)
	return policy(found)
}

// StrictPolicy allows one step either way, and searches no further; the same limit on attempts.
func StrictPolicy() Policy {
	found := C.otp_record_policy{size: C.sizeof_otp_record_policy}
	C.otp_record_policy_strict_init(&found)
	return policy(found)
}

func policy(from C.otp_record_policy) Policy {
	return Policy{
		int(from.adjacent_steps), int(from.drift_limit), int(from.resynchronization_steps), int(from.look_ahead),
		int(from.resynchronization_look_ahead), int(from.failures_until_lock),
		time.Duration(from.lock_seconds) * time.Second, int(from.first_delayed_failure),
		time.Duration(from.initial_delay_seconds) * time.Second,
	}
}

func (p Policy) inC() C.otp_record_policy {
	if p.FirstDelayedFailure < 0 {
		p.FirstDelayedFailure = 0 // What is out of range would mean never.
	}
	return C.otp_record_policy{
		size: C.sizeof_otp_record_policy, adjacent_steps: unsigned(p.AdjacentSteps),
		drift_limit: unsigned(p.DriftLimit), resynchronization_steps: unsigned(p.ResynchronizationSteps),
		look_ahead:                   unsigned(p.LookAhead),
		resynchronization_look_ahead: unsigned(p.ResynchronizationLookAhead),
		failures_until_lock:          unsigned(p.FailuresUntilLock), lock_seconds: seconds(p.Lock),
		first_delayed_failure: unsigned(p.FirstDelayedFailure), initial_delay_seconds: seconds(p.InitialDelay),
	}
}

// seconds rounds away from 0, so that no delay gets shorter and a negative one is refused.
func seconds(duration time.Duration) C.int64_t {
	whole := duration / time.Second
	if rest := duration % time.Second; rest > 0 {
		whole++
	} else if rest < 0 {
		whole--
	}
	return C.int64_t(whole)
}

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
	// Until is when an attempt will be looked at again; zero for a lock that only Unlock or, after 100 failures, a new
	// enrollment ends, and without any.
	Until time.Time
}

// Format hides the record, whatever the verb.
func (a Answer) Format(to fmt.State, _ rune) {
	fmt.Fprintf(to, "<otp.Answer %s, reason %s>", a.Kind, a.Reason)
}

func answer(record []byte, from *C.otp_answer) Answer {
	answer := Answer{
		Kind: AnswerKind(from.kind), Reason: Reason(from.reason), Record: record, Changed: from.changed != 0,
		Step: uint64(from.step), Drift: int64(from.drift),
	}
	if from.has_until != 0 {
		answer.Until = time.Unix(int64(from.until), 0)
	}
	return answer
}

// An Enrollment says what to enroll. The zero Enrollment is a new TOTP secret for SHA-1, six digits and 30 seconds,
// which every authenticator app supports.
type Enrollment struct {
	IsHOTP  bool
	Hash    Hash // 0: SHA1
	Params  Params
	Counter uint64 // HOTP: the first one whose code is accepted
	Secret  []byte // nil: a new random one
	// IsConfirmed and After are for a factor from another system, and the step that was accepted there last.
	IsConfirmed bool
	After       *uint64
	// Previous is the subject's record that this one replaces: its failures stay counted until a code confirms the new
	// one, and what was spent stays spent. One of an active factor is ErrEnrolled, unless Replace says so.
	Previous []byte
	Replace  bool
}

// Format hides the secret, whatever the verb.
func (Enrollment) Format(to fmt.State, _ rune) { io.WriteString(to, "<otp.Enrollment>") }

func (e *Enrollment) inC() C.otp_enrollment {
	params := e.Params.inC()
	in := C.otp_enrollment{
		size: C.sizeof_otp_enrollment, _type: C.OTP_TOTP, hash: e.Hash.orSHA1(), digits: params.digits,
		period: params.period, t0: params.t0, counter: C.uint64_t(e.Counter), is_confirmed: flag(e.IsConfirmed),
		replace: flag(e.Replace),
	}
	if e.IsHOTP {
		in._type = C.OTP_HOTP
	}
	if e.After != nil {
		in.has_after, in.after = 1, C.uint64_t(*e.After)
	}
	return in
}

// A Diagnosis says how the user's app computes the code that it showed, if not as it was enrolled.
type Diagnosis struct {
	Hash   Hash
	Digits int
	Period int64 // in seconds
	// ClockOffset is how far its clock is ahead (TOTP), and CounterOffset how many codes it is ahead (HOTP).
	ClockOffset   time.Duration
	CounterOffset int64
}

// An Explanation says what a code is to a record, to an administrator; otp.h describes each member.
type Explanation struct {
	Cause Cause
	Found bool   // whether the code was found: the fields from Step to ClockOffset are set
	Step  uint64 // its step, its counter (HOTP), or the number of the recovery code
	// Offset is how many steps it is after the server's, or counters after the next expected one.
	Offset int64
	Odds   uint64 // one in as many wrong codes would be explained like this, by accident; 0 for recovery codes
	// How the user's app computes codes, and how far its clock is ahead.
	Hash        Hash
	Digits      int
	Period      int64 // in seconds
	ClockOffset time.Duration
	// Refusal is AnswerWait or AnswerLocked if failures keep any code from being accepted, until Until as in Answer.
	Refusal         AnswerKind
	Until           time.Time
	NeedsEnrollment bool      // whether it stays locked until a new enrollment
	LossEnd         time.Time // when the app shows the first code that was not spent after a loss; zero if it does already
}

func explanation(found *C.otp_explanation) Explanation {
	explanation := Explanation{
		Cause: Cause(found.cause), Found: found.found != 0, Step: uint64(found.step), Offset: int64(found.offset),
		Odds: uint64(found.odds), Hash: Hash(found.hash), Digits: int(found.digits), Period: int64(found.period),
		ClockOffset: time.Duration(found.clock_offset) * time.Second, Refusal: AnswerKind(found.refusal),
		NeedsEnrollment: found.needs_enrollment != 0,
	}
	if found.has_until != 0 {
		explanation.Until = time.Unix(int64(found.until), 0)
	}
	if found.has_loss_end != 0 {
		explanation.LossEnd = time.Unix(int64(found.loss_end), 0)
	}
	return explanation
}

// Details are what an operator may see of a record: never its secret.
type Details struct {
	Kind           RecordKind
	IsPending      bool
	Hash           Hash
	Params         Params
	HasWeakSecret  bool    // shorter than 16 bytes (RFC 4226, section 4, R6)
	LastAccepted   *uint64 // the step or counter; nil if there is none
	Drift          int64   // how many steps the user's clock is ahead
	Failures       uint64  // since the last success
	Acceptances    uint64  // ever
	EnrollmentTime time.Time
	LastAttempt    time.Time // zero if there is none
	UnusedCodes    []int     // the numbers of recovery codes
	KeyName        string    // of the key that sealed it; empty if none did
}

func details(found *C.otp_record_details) Details {
	details := Details{
		Kind: RecordKind(found.kind), IsPending: found.is_pending != 0, Hash: Hash(found.hash),
		Params:        Params{int(found.digits), int64(found.period), int64(found.t0)},
		HasWeakSecret: found.has_weak_secret != 0, Drift: int64(found.drift), Failures: uint64(found.failures),
		Acceptances: uint64(found.acceptances), EnrollmentTime: time.Unix(int64(found.enrollment_time), 0),
		KeyName: C.GoString(&found.key_name[0]),
	}
	if found.has_last_accepted != 0 {
		last := uint64(found.last_accepted)
		details.LastAccepted = &last
	}
	if found.has_last_attempt != 0 {
		details.LastAttempt = time.Unix(int64(found.last_attempt_time), 0)
	}
	for number := 1; number <= 20; number++ {
		if found.unused_codes>>(number-1)&1 != 0 {
			details.UnusedCodes = append(details.UnusedCodes, number)
		}
	}
	return details
}
