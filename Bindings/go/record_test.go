package otp

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

var start = time.Unix(1_700_000_000, 0)

func newKeyring(t testing.TB, keys ...NamedKey) *Keyring {
	t.Helper()
	if keys == nil {
		keys = []NamedKey{{"2026-11", bytes.Repeat([]byte{7}, 32)}}
	}
	keyring, err := NewKeyring(keys...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(keyring.Close)
	return keyring
}

// confirmed returns a record with the RFCs' secret.
func confirmed(t testing.TB, keyring *Keyring, enrollment Enrollment) []byte {
	t.Helper()
	enrollment.Secret, enrollment.IsConfirmed = secret, true
	record, err := keyring.Enroll("user 42", enrollment, start)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

func codeAt(t testing.TB, at time.Time) string {
	t.Helper()
	key, err := NewKey(SHA1, secret)
	if err != nil {
		t.Fatal(err)
	}
	defer key.Close()
	code, err := key.TOTP(at, Params{})
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// A column of a table, with a durable compare-and-set.
type column struct {
	sync.Mutex
	record []byte
}

func (c *column) read() ([]byte, error) {
	c.Lock()
	defer c.Unlock()
	return c.record, nil
}

func (c *column) replace(old, new []byte) (bool, error) {
	c.Lock()
	defer c.Unlock()
	if !bytes.Equal(c.record, old) {
		return false, nil
	}
	c.record = new
	return true, nil
}

func TestAFactorsLife(t *testing.T) {
	keyring := newKeyring(t)
	record, err := keyring.Enroll("user 42", Enrollment{}, start)
	if err != nil {
		t.Fatal(err)
	}
	uri, err := keyring.URI("user 42", record, "Example", "alice")
	if err != nil || !strings.HasPrefix(uri, "otpauth://totp/Example:alice?secret=") {
		t.Fatalf("%q, %v", uri, err)
	}
	if info, err := keyring.Info("user 42", record); err != nil || !info.IsPending || info.KeyName != "2026-11" {
		t.Errorf("%+v, %v", info, err)
	}
	signIn, err := keyring.Verify("user 42", record, "000000", start, DefaultPolicy())
	if err != nil || signIn.Kind != AnswerRejected || signIn.Reason != ReasonPending || signIn.Changed {
		t.Errorf("a pending record signs in: %+v, %v", signIn, err)
	}

	// One whose secret is known, and an app whose clock is an hour ahead.
	record, err = keyring.Enroll("user 42", Enrollment{Secret: secret, Previous: record}, start)
	if err != nil {
		t.Fatal(err)
	}
	found, err := keyring.Diagnose("user 42", record, codeAt(t, start.Add(time.Hour)), start)
	if err != nil || found == nil || found.ClockOffset != time.Hour {
		t.Errorf("%+v, %v", found, err)
	}
	answer, err := keyring.Confirm("user 42", record, codeAt(t, start), start, DefaultPolicy())
	if err != nil || answer.Kind != AnswerEnrolled {
		t.Fatalf("%+v, %v", answer, err)
	}
	record = answer.Record
	if _, err := keyring.URI("user 42", record, "Example", "alice"); err != ErrNotPending {
		t.Errorf("the URI of a confirmed record: %v", err)
	}
	replay, _ := keyring.Verify("user 42", record, codeAt(t, start), start, DefaultPolicy())
	if replay.Reason != ReasonReplayed {
		t.Errorf("%+v", replay)
	}
	next := start.Add(30 * time.Second)
	typed := codeAt(t, next)
	answer, err = keyring.Verify("user 42", record, " "+typed[:3]+"-"+typed[3:]+"\n", next, StrictPolicy())
	if err != nil || answer.Kind != AnswerAccepted || answer.Step != uint64(next.Unix()/30) {
		t.Errorf("%+v, %v", answer, err)
	}
	spent, err := keyring.Spend("user 42", answer.Record, next.Add(time.Hour), DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	late := next.Add(time.Hour)
	answer, err = keyring.Verify("user 42", spent, codeAt(t, late), late, DefaultPolicy())
	if err != nil || answer.Kind == AnswerAccepted {
		t.Errorf("a spent code: %+v, %v", answer, err)
	}
}

func TestGuessesAreDelayedAndLock(t *testing.T) {
	keyring := newKeyring(t)
	record, now, looked := confirmed(t, keyring, Enrollment{}), start, 0
	var answer Answer
	for answer.Kind != AnswerLocked {
		var err error
		if answer, err = keyring.Verify("user 42", record, "000000", now, DefaultPolicy()); err != nil {
			t.Fatal(err)
		}
		if answer.Changed != (answer.Kind == AnswerRejected) || answer.Changed == bytes.Equal(answer.Record, record) {
			t.Fatalf("%+v", answer)
		}
		if answer.Kind == AnswerWait {
			now = answer.Until
		} else if answer.Kind == AnswerRejected {
			looked++
		}
		record = answer.Record
	}
	if looked != 10 || answer.Until.Before(now.Add(59*time.Minute)) {
		t.Errorf("%d were looked at; %v", looked, answer.Until)
	}
	record, err := keyring.Unlock("user 42", record, now)
	if err != nil {
		t.Fatal(err)
	}
	answer, err = keyring.Verify("user 42", record, codeAt(t, now), now, DefaultPolicy())
	if err != nil || answer.Kind != AnswerAccepted {
		t.Errorf("%+v, %v", answer, err)
	}
}

func TestCountersResynchronize(t *testing.T) {
	keyring := newKeyring(t)
	record := confirmed(t, keyring, Enrollment{IsHOTP: true})
	// RFC 4226, Appendix D: the codes of counters 8 and 9, and of 3.
	answer, err := keyring.Resynchronize("user 42", record, []string{"399871", "520489"}, start, DefaultPolicy())
	if err != nil || answer.Kind != AnswerAccepted || answer.Step != 9 {
		t.Fatalf("%+v, %v", answer, err)
	}
	answer, err = keyring.Verify("user 42", answer.Record, "969429", start, DefaultPolicy())
	if err != nil || answer.Kind != AnswerRejected {
		t.Errorf("%+v, %v", answer, err)
	}
	codes := []string{"399871", "520489\x00"}
	if cut, err := keyring.Resynchronize("user 42", record, codes, start, DefaultPolicy()); cut.Reason != ReasonMalformed {
		t.Errorf("a code with a NUL: %v, %v", cut, err)
	}
	for _, codes := range [][]string{nil, {"399871"}, {"1", "2", "3", "4"}} {
		if _, err := keyring.Resynchronize("user 42", record, codes, start, DefaultPolicy()); err != ErrInvalidArgument {
			t.Errorf("%d codes: %v", len(codes), err)
		}
	}
}

func TestRecoveryCodesAreUsedOnce(t *testing.T) {
	keyring := newKeyring(t)
	record, codes, err := keyring.RecoveryCodes("user 42", 20, start)
	if err != nil || len(codes) != 20 || len(record) > 1024 {
		t.Fatalf("%d codes, %d bytes, %v", len(codes), len(record), err)
	}
	answer, err := keyring.Verify("user 42", record, strings.ToLower(codes[3]), start, DefaultPolicy())
	if err != nil || answer.Kind != AnswerAccepted || answer.Step != 4 {
		t.Fatalf("%+v, %v", answer, err)
	}
	again, err := keyring.Verify("user 42", answer.Record, codes[3], start, DefaultPolicy())
	if err != nil || again.Reason != ReasonReplayed {
		t.Errorf("%+v, %v", again, err)
	}
	info, err := keyring.Info("user 42", answer.Record)
	unused := "[1 2 3 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20]"
	if err != nil || info.Kind != RecordRecoveryCodes || fmt.Sprint(info.UnusedCodes) != unused {
		t.Errorf("%+v, %v", info, err)
	}
	for _, count := range []int{-1, 0, 21} {
		if _, _, err := keyring.RecoveryCodes("user 42", count, start); err != ErrInvalidArgument {
			t.Errorf("%d codes: %v", count, err)
		}
	}
}

// Of 200 goroutines with one right code, one is let in; of 500 with wrong ones, no more are looked at than allowed.
func TestTheRuleHoldsForManyAtOnce(t *testing.T) {
	keyring := newKeyring(t)
	held := &column{record: confirmed(t, keyring, Enrollment{})}
	attempt := func(code string, count int) map[AnswerKind]int {
		var group sync.WaitGroup
		var lock sync.Mutex
		found := map[AnswerKind]int{}
		for i := 0; i < count; i++ {
			group.Add(1)
			go func() {
				defer group.Done()
				answer, err := ReplaceUnder(held.read, func(record []byte) (Answer, error) {
					return keyring.Verify("user 42", record, code, start, DefaultPolicy())
				}, held.replace)
				if err != nil {
					t.Error(err)
				}
				lock.Lock()
				found[answer.Kind]++
				lock.Unlock()
			}()
		}
		group.Wait()
		return found
	}
	if found := attempt(codeAt(t, start), 200); found[AnswerAccepted] != 1 {
		t.Errorf("accepted: %v", found)
	}
	held.record, _ = keyring.Unlock("user 42", held.record, start)
	// At one moment, the fourth failure's delay has not passed.
	if found := attempt("000000", 500); found[AnswerRejected] != 4 || found[AnswerWait] != 496 {
		t.Errorf("guesses: %v", found)
	}
}

func BenchmarkRecordVerify(b *testing.B) {
	keyring := newKeyring(b)
	record := confirmed(b, keyring, Enrollment{})
	for i := 0; i < b.N; i++ {
		if _, err := keyring.Verify("user 42", record, "000000", start, StrictPolicy()); err != nil {
			b.Fatal(err)
		}
	}
}
