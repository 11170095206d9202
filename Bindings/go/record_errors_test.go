package otp

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestARecordThatIsNotWhatItWasOpensNothing(t *testing.T) {
	keyring := newKeyring(t)
	other := newKeyring(t, NamedKey{"other", bytes.Repeat([]byte{1}, 32)})
	same := newKeyring(t, NamedKey{"2026-11", bytes.Repeat([]byte{1}, 32)})
	unsealed, err := NewUnsealedKeyring()
	if err != nil {
		t.Fatal(err)
	}
	defer unsealed.Close()
	record := confirmed(t, keyring, Enrollment{})
	altered := append([]byte(nil), record...)
	altered[len(altered)-1] ^= 1
	later := append([]byte(nil), record...)
	later[0] = 2
	for _, test := range []struct {
		keyring *Keyring
		subject string
		record  []byte
		want    error
	}{
		{keyring, "user 42", altered, ErrNotAuthentic},
		{keyring, "user 42", later, ErrLaterRecord},
		{keyring, "user 42", record[:1], ErrMalformedRecord},
		{keyring, "user 42", nil, ErrMalformedRecord},
		{keyring, "user 43", record, ErrAnotherSubject},
		{keyring, "", record, ErrInvalidSubject},
		{keyring, strings.Repeat("u", 1025), record, ErrInvalidSubject},
		{other, "user 42", record, ErrUnknownKey},
		{same, "user 42", record, ErrNotAuthentic},
		{unsealed, "user 42", record, ErrWrongEncoding},
	} {
		answer, err := test.keyring.Verify(test.subject, test.record, codeAt(t, start), start, DefaultPolicy())
		if err != test.want || answer.Kind != AnswerRejected || answer.Record != nil {
			t.Errorf("%+v, %v, want %v", answer, err, test.want)
		}
	}
	closed := newKeyring(t)
	closed.Close()
	if _, err := closed.Verify("user 42", record, "000000", start, DefaultPolicy()); err != ErrInvalidArgument {
		t.Errorf("a closed keyring: %v", err)
	}
}

func TestKeysRotateByUse(t *testing.T) {
	first, second := NamedKey{"a", bytes.Repeat([]byte{1}, 32)}, NamedKey{"b", bytes.Repeat([]byte{2}, 32)}
	before, during, after := newKeyring(t, first), newKeyring(t, second, first), newKeyring(t, second)
	record := confirmed(t, before, Enrollment{})
	if same, err := before.Reseal("user 42", record); err != nil || !bytes.Equal(same, record) {
		t.Errorf("sealed again by the same key: %v", err)
	}
	record, err := during.Reseal("user 42", record)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := after.Info("user 42", record); err != nil || info.KeyName != "b" {
		t.Errorf("%+v, %v", info, err)
	}
	if _, err := NewKeyring(first, first); err != ErrDuplicateKeyName {
		t.Errorf("two keys of one name: %v", err)
	}
	if _, err := NewKeyring(); err != ErrInvalidArgument {
		t.Errorf("no key: %v", err)
	}
}

func TestAKeyringIsReadFromItsFile(t *testing.T) {
	// As the Swift keyring writes it.
	const text = `{"format":"otp-keyring/1","active":"new","keys":[
{"name":"old","key":"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="},
{"name":"new","key":"AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}],
"hashKey":"AwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
"sha256":"41c5ba07c576d2c2dddb864b4b74c98641b2cfdf262e0954dfbd6de09c89a9ad"}
`
	path := filepath.Join(t.TempDir(), "keyring")
	open := func(text string, mode os.FileMode) (*Keyring, error) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return OpenKeyring(path)
	}
	keyring, err := open(text, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer keyring.Close()
	record := confirmed(t, newKeyring(t, NamedKey{"old", append([]byte{1}, make([]byte, 31)...)}), Enrollment{})
	if info, err := keyring.Info("user 42", record); err != nil || info.KeyName != "old" {
		t.Errorf("%+v, %v", info, err)
	}
	for _, test := range []struct {
		text string
		mode os.FileMode
		want Error
	}{
		{text, 0o640, ErrKeyringReadableByOthers},
		{strings.Replace(text, "old", "cld", 1), 0o600, ErrKeyringCorrupt},
		{"{}", 0o600, ErrKeyringMalformed},
	} {
		if keyring, err := open(test.text, test.mode); keyring != nil || err != test.want {
			t.Errorf("%v, want %v", err, test.want)
		}
	}
	for path, want := range map[string]Error{
		filepath.Dir(path): ErrKeyringUnreadable, path + " ": ErrKeyringUnreadable, path + "\x00": ErrInvalidArgument,
	} {
		if keyring, err := OpenKeyring(path); keyring != nil || err != want {
			t.Errorf("%q: %v, want %v", path, err, want)
		}
	}
}

func TestKeysAreChecked(t *testing.T) {
	key := func(first int) []byte { return append([]byte{byte(first)}, make([]byte, 31)...) }
	many := make([]NamedKey, 65)
	for i := range many {
		many[i] = NamedKey{strings.Repeat("k", i%3) + fmt.Sprint(i), key(i)}
	}
	for i, test := range []struct {
		keys []NamedKey
		want Error
	}{
		{nil, ErrInvalidArgument},
		{many, ErrInvalidArgument},
		{[]NamedKey{{"k", nil}}, ErrInvalidKey},
		{[]NamedKey{{"k", key(1)[:31]}}, ErrInvalidKey},
		{[]NamedKey{{"k", append(key(1), 0)}}, ErrInvalidKey},
		{[]NamedKey{{"", key(1)}}, ErrInvalidKeyName},
		{[]NamedKey{{"k\x00", key(1)}}, ErrInvalidKeyName},
		{[]NamedKey{many[0], many[0]}, ErrDuplicateKeyName},
	} {
		if keyring, err := NewKeyring(test.keys...); keyring != nil || err != test.want {
			t.Errorf("%d: %v, want %v", i, err, test.want)
		}
	}
	// The names and keys of all 64 stay together.
	keyring := newKeyring(t, many[:64]...)
	for _, key := range many[:64] {
		record := confirmed(t, newKeyring(t, key), Enrollment{})
		if info, err := keyring.Info("user 42", record); err != nil || info.KeyName != key.Name {
			t.Errorf("%+v, %v", info, err)
		}
	}
}

func TestMisuseOfRecordsIsAnError(t *testing.T) {
	keyring := newKeyring(t)
	record := confirmed(t, keyring, Enrollment{})
	for what, want := range map[*Enrollment]Error{
		{Hash: 4}:                           ErrInvalidArgument,
		{Params: Params{Digits: 5}}:         ErrInvalidDigits,
		{Params: Params{Digits: 1<<32 + 6}}: ErrInvalidDigits,
		{Params: Params{Digits: -1}}:        ErrInvalidDigits,
		{Params: Params{Period: -30}}:       ErrInvalidPeriod,
		{Secret: []byte{}}:                  ErrEmptySecret,
		{Secret: make([]byte, 1025)}:        ErrInvalidSecret,
		{Previous: []byte("x")}:             ErrMalformedRecord,
	} {
		if record, err := keyring.Enroll("user 42", *what, start); record != nil || err != want {
			t.Errorf("%v, want %v", err, want)
		}
	}
	pending, err := keyring.Enroll("user 42", Enrollment{}, start)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "a:b", strings.Repeat("a", 2100), "\xff"} {
		if uri, err := keyring.URI("user 42", pending, "Example", name); uri != "" || err != ErrInvalidName {
			t.Errorf("%q: %v", name, err)
		}
	}
	for name, change := range map[string]func(*Policy){
		"zero":     func(p *Policy) { *p = Policy{} },
		"steps":    func(p *Policy) { p.AdjacentIntervals = 11 },
		"failures": func(p *Policy) { p.FailuresUntilLock = 101 },
		"lock":     func(p *Policy) { p.Lock = -1 },
		"first":    func(p *Policy) { p.FirstDelayedFailure = -1 },
		"wrapped":  func(p *Policy) { p.AdjacentIntervals = 1 << 32 },
		"negative": func(p *Policy) { p.LookAhead = -1 },
		"delay":    func(p *Policy) { p.InitialDelay = math.MaxInt64 },
	} {
		policy := DefaultPolicy()
		change(&policy)
		answer, err := keyring.Verify("user 42", record, codeAt(t, start), start, policy)
		if answer.Kind != AnswerRejected || err != ErrInvalidArgument {
			t.Errorf("%s: %v, %v", name, answer, err)
		}
	}
	if DefaultPolicy() != (Policy{5, 0, 1500, 10, 100, 10, time.Hour, 4, time.Second}) ||
		StrictPolicy() != (Policy{1, 0, 0, 0, 0, 10, time.Hour, 4, time.Second}) {
		t.Error(DefaultPolicy(), StrictPolicy())
	}
	// Such as a time in milliseconds, which a record would remember.
	for _, seconds := range []int64{59, 946_684_799, 7_258_118_400, 1000 * start.Unix()} {
		now := time.Unix(seconds, 0)
		for what, call := range map[string]func() error{
			"enroll":  func() error { _, err := keyring.Enroll("user 42", Enrollment{}, now); return err },
			"codes":   func() error { _, _, err := keyring.RecoveryCodes("user 42", 1, now); return err },
			"confirm": func() error { _, err := keyring.Confirm("user 42", pending, "0", now, DefaultPolicy()); return err },
			"verify":  func() error { _, err := keyring.Verify("user 42", record, "0", now, DefaultPolicy()); return err },
			"resynchronize": func() error {
				_, err := keyring.Resynchronize("user 42", record, []string{"0", "1"}, now, DefaultPolicy())
				return err
			},
			"diagnose": func() error { _, err := keyring.Diagnose("user 42", pending, "0", now); return err },
			"unlock":   func() error { _, err := keyring.Unlock("user 42", record, now); return err },
			"spend":    func() error { _, err := keyring.Spend("user 42", record, now, DefaultPolicy()); return err },
		} {
			if err := call(); err != ErrInvalidTime {
				t.Errorf("%s at %d: %v", what, seconds, err)
			}
		}
	}
	for _, typed := range []string{"", "28708\x00", "\xff", strings.Repeat("0", 1<<20)} {
		answer, err := keyring.Verify("user 42", record, typed, start, DefaultPolicy())
		if answer.Kind != AnswerRejected || answer.Reason != ReasonMalformed || err != nil {
			t.Errorf("%v, %v", answer, err)
		}
	}
}

func TestEnumeratorsHaveNames(t *testing.T) {
	found := fmt.Sprintln(SHA256, Replayed, AnswerEnrolled, ReasonUsedUp, RecordRecoveryCodes, AnswerKind(99), Hash(0))
	if found != "SHA256 replayed enrolled used up recovery codes unknown (99) unknown\n" {
		t.Error(found)
	}
}

func TestTheRuleAnswersOnlyWhatWasReplaced(t *testing.T) {
	keyring, failed := newKeyring(t), errors.New("the database is gone")
	held := &column{record: confirmed(t, keyring, Enrollment{})}
	verify := func(record []byte) (Answer, error) {
		return keyring.Verify("user 42", record, codeAt(t, start), start, DefaultPolicy())
	}
	isGone := func(answer Answer, err error) {
		t.Helper()
		if answer.Kind != AnswerRejected || answer.Record != nil || err != failed {
			t.Errorf("%v, %v", answer, err)
		}
	}
	isGone(ReplaceUnder(func() ([]byte, error) { return nil, failed }, verify, held.replace))
	isGone(ReplaceUnder(held.read, func(record []byte) (Answer, error) {
		answer, _ := verify(record)
		return answer, failed
	}, held.replace))
	isGone(ReplaceUnder(held.read, verify, func(_, _ []byte) (bool, error) { return true, failed }))
	times := 0
	answer, err := ReplaceUnder(held.read, verify, func(old, new []byte) (bool, error) {
		times++
		if times < 3 {
			return false, nil
		}
		return held.replace(old, new)
	})
	if answer.Kind != AnswerAccepted || err != nil || times != 3 || !bytes.Equal(held.record, answer.Record) {
		t.Errorf("%v, %v, after %d times", answer, err, times)
	}
	// A column that never equals what was read of it.
	never := func(_, _ []byte) (bool, error) { return false, nil }
	if _, err := ReplaceUnder(held.read, verify, never); err != ErrInvalidArgument {
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
