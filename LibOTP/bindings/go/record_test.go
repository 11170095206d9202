package otp

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strings"
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

// What is given to a method, and what it returns, is at its place.
func TestArgumentsAndResultsKeepTheirPlaces(t *testing.T) {
	keyring, policy := newKeyring(t), DefaultPolicy()
	active := confirmed(t, keyring, Enrollment{})
	if _, err := keyring.Enroll("user 42", Enrollment{Previous: active}, start); err != ErrEnrolled {
		t.Error(err)
	}
	pending, err := keyring.Enroll("user 42", Enrollment{
		Hash: SHA256, Params: Params{8, 60, 120}, Secret: secret[:10], Previous: active, Replace: true,
	}, start)
	if err != nil {
		t.Fatal(err)
	}
	uri, err := keyring.URI("user 42", pending, "Example", "alice")
	if uri != "otpauth://totp/Example:alice?secret=GEZDGNBVGY3TQOJQ&issuer=Example&algorithm=SHA256&digits=8&period=60" {
		t.Errorf("%q, %v", uri, err)
	}
	info, err := keyring.Info("user 42", pending)
	want := Details{
		Kind: RecordTOTP, IsPending: true, Hash: SHA256, Params: Params{8, 60, 120}, HasWeakSecret: true,
		EnrollmentTime: start, KeyName: "2026-11",
	}
	if err != nil || !reflect.DeepEqual(info, want) {
		t.Errorf("%+v, %v", info, err)
	}

	pending, err = keyring.Enroll("user 42", Enrollment{Secret: secret}, start)
	if err != nil {
		t.Fatal(err)
	}
	found, err := keyring.Diagnose("user 42", pending, codeAt(t, start.Add(time.Hour)), start)
	if err != nil || *found != (Diagnosis{SHA1, 6, 30, time.Hour, 0}) {
		t.Errorf("%+v, %v", found, err)
	}
	why, err := keyring.Explain("user 42", pending, codeAt(t, start.Add(time.Hour)), start, policy)
	step := uint64(start.Unix()) / 30
	if err != nil || why.Odds < 100 || why.Odds > 10000 {
		t.Errorf("%+v, %v", why, err)
	}
	why.Odds = 0
	if why != (Explanation{
		Cause: CauseEarly, Found: true, Step: step + 120, Offset: 120, Hash: SHA1, Digits: 6, Period: 30,
		ClockOffset: time.Hour,
	}) {
		t.Errorf("%+v", why)
	}
	if found, err := keyring.Diagnose("user 42", pending, "1", start); found != nil || err != nil {
		t.Errorf("%+v, %v", found, err)
	}
	answer, err := keyring.Confirm("user 42", pending, codeAt(t, start), start, policy)
	if err != nil || answer.Kind != AnswerEnrolled || answer.Step != uint64(start.Unix()/30) || !answer.Changed {
		t.Errorf("%v, %v", answer, err)
	}
	answer, err = keyring.Verify("user 42", answer.Record, "0", start.Add(time.Second), policy)
	if err != nil || answer.Reason != ReasonMalformed || answer.Changed {
		t.Errorf("%v, %v", answer, err)
	}
	step = uint64(start.Unix() / 30)
	again := confirmed(t, keyring, Enrollment{After: &step})
	if info, err := keyring.Info("user 42", again); err != nil || *info.LastAccepted != step {
		t.Errorf("%+v, %v", info, err)
	}
	spent, err := keyring.Spend("user 42", again, start.Add(time.Hour), policy)
	if info, _ := keyring.Info("user 42", spent); err != nil || *info.LastAccepted != step+120+6 {
		t.Errorf("%+v, %v", info, err)
	}
}

// The same for tokens and recovery codes.
func TestOtherKindsKeepTheirPlaces(t *testing.T) {
	keyring, policy := newKeyring(t), DefaultPolicy()
	token := confirmed(t, keyring, Enrollment{IsHOTP: true, Counter: 2})
	cut, err := keyring.Resynchronize("user 42", token, []string{"399871", "520489\x00"}, start, policy)
	if err != nil || cut.Reason != ReasonMalformed {
		t.Errorf("a code with a NUL: %v, %v", cut, err)
	}

	record, codes, err := keyring.RecoveryCodes("user 42", 20, nil, start)
	if err != nil || len(codes) != 20 || len(codes[19]) != 29 {
		t.Fatalf("%d codes, %v", len(codes), err)
	}
	_, others, _ := keyring.RecoveryCodes("user 42", 1, nil, start)
	wrong, _ := keyring.Verify("user 42", record, others[0], start, policy)
	again, _, err := keyring.RecoveryCodes("user 42", 20, wrong.Record, start)
	if info, _ := keyring.Info("user 42", again); err != nil || info.Failures != 1 {
		t.Errorf("%+v, %v", info, err)
	}
	answer, err := keyring.Verify("user 42", record, codes[3], start, policy)
	info, _ := keyring.Info("user 42", answer.Record)
	unused := "[1 2 3 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20]"
	if err != nil || answer.Step != 4 || fmt.Sprint(info.UnusedCodes) != unused || info.Acceptances != 1 ||
		!info.LastAttempt.Equal(start) {
		t.Errorf("%v, %+v, %v", answer, info, err)
	}
}

// Names and keys stay together, and a rotation seals with the first.
func TestAKeyringHasAllItsKeys(t *testing.T) {
	many := make([]NamedKey, 65)
	for i := range many {
		many[i] = NamedKey{strings.Repeat("k", i%3) + fmt.Sprint(i), append([]byte{byte(i)}, make([]byte, 31)...)}
	}
	keyring := newKeyring(t, many[:64]...)
	for _, key := range many[:64] {
		record, err := keyring.Reseal("user 42", confirmed(t, newKeyring(t, key), Enrollment{}))
		if info, _ := keyring.Info("user 42", record); err != nil || info.KeyName != many[0].Name {
			t.Errorf("%+v, %v", info, err)
		}
	}
	if keyring, err := NewKeyring(many...); keyring != nil || err != ErrInvalidArgument {
		t.Errorf("65 keys: %v", err)
	}
	if keyring, err := OpenKeyring(filepath.Join("..", "go.mod\x00")); keyring != nil || err != ErrInvalidArgument {
		t.Errorf("a path with a NUL: %v", err)
	}
}

func TestMisuseOfRecordsIsAnError(t *testing.T) {
	keyring := newKeyring(t)
	record := confirmed(t, keyring, Enrollment{})
	for what, want := range map[*Enrollment]Error{
		{Params: Params{Digits: 1<<32 + 6}}: ErrInvalidDigits, {Params: Params{Digits: -1}}: ErrInvalidDigits,
		{Secret: []byte{}}: ErrEmptySecret, {Previous: []byte("x")}: ErrMalformedRecord,
	} {
		if record, err := keyring.Enroll("user 42", *what, start); record != nil || err != want {
			t.Errorf("%v, want %v", err, want)
		}
	}
	for name, change := range map[string]func(*Policy){
		"zero":     func(p *Policy) { *p = Policy{} },
		"lock":     func(p *Policy) { p.Lock = -1 },
		"first":    func(p *Policy) { p.FirstDelayedFailure = -1 },
		"wrapped":  func(p *Policy) { p.AdjacentSteps = 1 << 32 },
		"negative": func(p *Policy) { p.LookAhead = -1 },
		"delay":    func(p *Policy) { p.InitialDelay = math.MaxInt64 },
	} {
		policy := DefaultPolicy()
		change(&policy)
		answer, err := keyring.Verify("user 42", record, codeAt(t, start), start, policy)
		if answer.Kind != AnswerRejected || answer.Record != nil || err != ErrInvalidPolicy {
			t.Errorf("%s: %v, %v", name, answer, err)
		}
	}
	// A time in milliseconds, which a record would remember.
	if _, err := keyring.Enroll("user 42", Enrollment{}, time.Unix(1000*start.Unix(), 0)); err != ErrInvalidTime {
		t.Errorf("a wrong time: %v", err)
	}
	if DefaultPolicy() != (Policy{1, 5, 1500, 10, 100, 10, time.Hour, 4, time.Second}) ||
		StrictPolicy() != (Policy{1, 0, 0, 0, 0, 10, time.Hour, 4, time.Second}) {
		t.Error(DefaultPolicy(), StrictPolicy())
	}
	for _, count := range []int{-1, 0, 21} {
		if _, _, err := keyring.RecoveryCodes("user 42", count, nil, start); err != ErrInvalidArgument {
			t.Errorf("%d codes: %v", count, err)
		}
	}
}

func TestAKeyringsFileIsCreatedOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keyring")
	if err := CreateKeyringFile(path); err != nil {
		t.Fatal(err)
	}
	keyring, err := OpenKeyring(path)
	if err != nil {
		t.Fatal(err)
	}
	defer keyring.Close()
	// A lock, explained.
	policy := DefaultPolicy()
	policy.FailuresUntilLock = 1
	answer, err := keyring.Verify("user 42", confirmed(t, keyring, Enrollment{}), "000000", start, policy)
	if err != nil {
		t.Fatal(err)
	}
	why, err := keyring.Explain("user 42", answer.Record, codeAt(t, start), start, policy)
	if err != nil || why.Cause != CauseRight || why.Refusal != AnswerLocked || !why.Until.Equal(start.Add(time.Hour)) {
		t.Errorf("%+v, %v", why, err)
	}
	for path, want := range map[string]error{
		path: ErrKeyringExists, path + "/x": ErrKeyringUnwritable, "\x00": ErrInvalidArgument,
	} {
		if err := CreateKeyringFile(path); err != want {
			t.Errorf("%v, want %v", err, want)
		}
	}
}

func TestTheRuleAnswersOnlyWhatWasReplaced(t *testing.T) {
	keyring, failed := newKeyring(t), errors.New("the database is gone")
	held := confirmed(t, keyring, Enrollment{})
	read := func() ([]byte, error) { return held, nil }
	verify := func(record []byte) (Answer, error) {
		return keyring.Verify("user 42", record, codeAt(t, start), start, DefaultPolicy())
	}
	// replaced succeeds the third time.
	times := 0
	replaced := func(old, new []byte) (bool, error) {
		times++
		return times == 3 && bytes.Equal(old, held) && !bytes.Equal(new, held), nil
	}
	isGone := func(answer Answer, err error) {
		t.Helper()
		if answer.Kind != AnswerRejected || answer.Record != nil || err != failed || times > 0 {
			t.Errorf("%v, %v", answer, err)
		}
	}
	isGone(ReplaceUnder(func() ([]byte, error) { return nil, failed }, verify, replaced))
	isGone(ReplaceUnder(read, func([]byte) (Answer, error) { return Answer{Kind: AnswerAccepted}, failed }, replaced))
	isGone(ReplaceUnder(read, verify, func(_, _ []byte) (bool, error) { return true, failed }))
	if answer, err := ReplaceUnder(read, verify, replaced); answer.Kind != AnswerAccepted || err != nil || times != 3 {
		t.Errorf("%v, %v, after %d times", answer, err, times)
	}
	// A column that never equals what was read of it.
	never := func(_, _ []byte) (bool, error) { return false, nil }
	if _, err := ReplaceUnder(read, verify, never); err != ErrInvalidArgument {
		t.Errorf("never replaced: %v", err)
	}
}

func TestAPrintedValueShowsNoSecret(t *testing.T) {
	keyring, err := NewUnsealedKeyring()
	if err != nil {
		t.Fatal(err)
	}
	defer keyring.Close()
	record := confirmed(t, keyring, Enrollment{})
	answer, err := keyring.Verify("user 42", record, codeAt(t, start), start, DefaultPolicy())
	if err != nil || !bytes.Contains(answer.Record, secret) {
		t.Fatalf("the record does not hold the secret: %v", err)
	}
	key := NamedKey{"name", secret}
	for _, value := range []any{
		answer, &answer, []Answer{answer}, key, &key, Enrollment{Secret: secret}, &Enrollment{Previous: record},
		KeyURI{Secret: secret},
	} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			text := fmt.Sprintf(verb, value)
			for _, part := range []string{string(secret), "49 50 51", "0x31, 0x32", "313233"} {
				if strings.Contains(text, part) {
					t.Errorf("%s of %T shows it: %s", verb, value, text)
				}
			}
		}
	}
}

func TestRoomIsWiped(t *testing.T) {
	var room []byte
	record, err := written(8, func(given []byte) (int, error) {
		room = given
		return copy(room, "secret"), nil
	})
	if string(record) != "secret" || err != nil || !bytes.Equal(room, make([]byte, 8)) {
		t.Errorf("%q, %v, and %q is left", record, err, room)
	}
}
