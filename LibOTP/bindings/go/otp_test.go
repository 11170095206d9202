package otp

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"time"
)

// The secret of RFC 6238, Appendix B.
var secret = []byte("12345678901234567890")

func newKey(t *testing.T, hash Hash, secret []byte) *Key {
	t.Helper()
	key, err := NewKey(hash, secret)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(key.Close)
	return key
}

func codeAt(t *testing.T, at time.Time) string {
	t.Helper()
	code, err := newKey(t, SHA1, secret).TOTP(at, Params{})
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// Each request keeps its own key, code, window and outcome, while the garbage collector runs.
func TestABatchAnswersAsOneByOne(t *testing.T) {
	one := uint64(1)
	var requests []Request
	var want []Outcome
	for range [50]int{} {
		key, at := newKey(t, SHA1, secret), time.Unix(61, 0)
		for _, test := range []struct {
			request Request
			want    Outcome
		}{
			{Request{Key: key, Code: "287082", At: at, Window: Window{Behind: 1}}, Outcome{Match{Accepted, 1, -1}, nil}},
			{Request{Key: key, Code: "287082", At: at, Window: Window{Ahead: 1}}, Outcome{Match{}, nil}},
			{Request{Key: key, Code: "287082", At: at, Window: Window{Behind: 1, After: &one}},
				Outcome{Match{Result: Replayed}, nil}},
			{Request{Key: key, Code: "94287082", At: at, Params: Params{Digits: 8, T0: 2}},
				Outcome{Match{Accepted, 1, 0}, nil}},
			{Request{Key: newKey(t, SHA256, secret), Code: "287082", At: at, Window: Window{Behind: 1}}, Outcome{}},
			{Request{Key: key, Code: "338314", IsHOTP: true, Counter: 2, LookAhead: 2}, Outcome{Match{Accepted, 4, 2}, nil}},
			{Request{Key: key, Code: "338314", IsHOTP: true, Counter: 2, LookAhead: -1}, Outcome{Err: ErrInvalidLookAhead}},
			{Request{Key: key, Code: "287082", At: time.Unix(-1, 0)}, Outcome{Err: ErrTimeBeforeT0}},
			{Request{Key: new(Key), Code: "287082", At: at}, Outcome{Err: ErrInvalidArgument}},
			{Request{Code: "287082", At: at}, Outcome{Err: ErrInvalidArgument}},
			{Request{Key: key, Code: "287082", At: at, Params: Params{Digits: -6}}, Outcome{Err: ErrInvalidDigits}},
		} {
			requests, want = append(requests, test.request), append(want, test.want)
		}
	}
	var all sync.WaitGroup
	for range [8]int{} {
		all.Add(1)
		go func() {
			defer all.Done()
			answers, err := VerifyBatch(requests)
			if err != nil || !reflect.DeepEqual(answers, want) {
				t.Errorf("%v, %v", answers, err)
			}
			runtime.GC()
		}()
	}
	all.Wait()
	if answers, err := VerifyBatch(nil); len(answers) != 0 || err != nil {
		t.Errorf("an empty batch: %v, %v", answers, err)
	}
}

func TestATextErrorSaysWhatIsWrong(t *testing.T) {
	_, base32 := DecodeBase32("GEZD1NBV")
	_, uri := ParseKeyURI("otpauth://totp/alice?secret=GEZDGNBV&digits=5")
	_, built := KeyURI{Secret: secret, Account: "a:b"}.Text()
	for _, test := range []struct {
		err  error
		want TextError
		text string
	}{
		{base32, TextError{ErrInvalidBase32Character, "", 4}, "otp: not a base32 character at byte 4"},
		{uri, TextError{ErrInvalidDigits, "digits", -1}, ErrInvalidDigits.Error() + " (digits)"},
		{built, TextError{ErrInvalidAccount, "account", -1}, ErrInvalidAccount.Error() + " (account)"},
	} {
		var found *TextError
		if !errors.As(test.err, &found) || *found != test.want || found.Error() != test.text {
			t.Errorf("%v, want %+v", test.err, test.want)
		}
		if !errors.Is(test.err, test.want.Err) || errors.Is(test.err, ErrEmptySecret) {
			t.Errorf("%v is not %v", test.err, test.want.Err)
		}
	}
	lenient, err := ParseKeyURI("otpauth://hotp/a+b?secret=GEZDGNBV&issuer=a+b", PlusIsSpace, MissingCounterIsZero)
	if err != nil || lenient.Issuer != "a b" || lenient.Account != "a+b" || !lenient.IsHOTP {
		t.Errorf("%s, %v", lenient.Issuer, err)
	}
}

func TestMistakesAreErrors(t *testing.T) {
	if _, err := NewKey(SHA1, nil); err != ErrEmptySecret {
		t.Errorf("no secret: %v", err)
	}
	key := newKey(t, SHA1, secret)
	for _, digits := range []int{-1, 1<<32 + 6} {
		if code, err := key.HOTP(1, digits); code != "" || err != ErrInvalidDigits {
			t.Errorf("%d digits: %q, %v", digits, code, err)
		}
		if _, err := key.VerifyHOTP("287082", 1, 6, digits); err != ErrInvalidLookAhead {
			t.Errorf("a look-ahead of %d: %v", digits, err)
		}
	}
	// Codes that C would cut at the NUL, and numbers of codes that it would not look at.
	match, err := key.ResynchronizeHOTP([]string{"399871", "520489\x00"}, 0, 6, 10)
	if match.Result != Rejected || err != nil {
		t.Errorf("a code with a NUL: %v, %v", match, err)
	}
	for _, codes := range [][]string{nil, {"399871"}, {"399871", "520489", "1", "1"}} {
		if _, err := key.ResynchronizeHOTP(codes, 0, 6, 10); err != ErrInvalidArgument {
			t.Errorf("%d codes: %v", len(codes), err)
		}
	}
	key.Close()
	match, err = key.VerifyTOTP("287082", time.Unix(59, 0), Params{}, Window{})
	if match.Result != Rejected || err != ErrInvalidArgument {
		t.Errorf("a closed key: %v, %v", match, err)
	}
	if err := SelfTest(); err != nil {
		t.Error(err)
	}
}

func TestEnumeratorsHaveNames(t *testing.T) {
	found := fmt.Sprintln(SHA256, Replayed, AnswerEnrolled, ReasonUsedUp, CauseLate, RecordRecoveryCodes, AnswerKind(99))
	if found != "SHA256 replayed enrolled used up late recovery codes unknown\n" {
		t.Error(found)
	}
}
