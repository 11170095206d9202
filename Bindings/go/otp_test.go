package otp

import (
	"errors"
	"math/rand"
	"reflect"
	"runtime"
	"strings"
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

// The last six digits of RFC 6238's codes.
func TestCodesAreThoseOfTheRFC(t *testing.T) {
	key := newKey(t, SHA1, secret)
	for unix, want := range map[int64]string{
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037",
		20000000000: "353130",
	} {
		code, err := key.TOTP(time.Unix(unix, 0), Params{})
		if code != want || err != nil {
			t.Errorf("at %d: %q, %v, want %q", unix, code, err, want)
		}
		match, err := key.VerifyTOTP(code, time.Unix(unix, 0), Params{}, Window{})
		if (match != Match{Accepted, uint64(unix / 30), 0}) || err != nil {
			t.Errorf("at %d: %+v, %v", unix, match, err)
		}
	}
}

func TestACodeIsAcceptedOnceAndInItsWindowOnly(t *testing.T) {
	key := newKey(t, SHA1, secret)
	zero, one := uint64(0), uint64(1)
	for _, test := range []struct {
		code   string
		unix   int64
		window Window
		want   Match
	}{
		{"287082", 61, Window{Behind: 1, Ahead: 1}, Match{Accepted, 1, -1}},
		{"287082", 29, Window{Ahead: 1}, Match{Accepted, 1, 1}},
		{"287082", 61, Window{}, Match{Result: Rejected}},
		{"287082", 61, Window{Behind: 1, After: &zero}, Match{Accepted, 1, -1}},
		{"287082", 61, Window{Behind: 1, After: &one}, Match{Result: Replayed}},
		{"287083", 61, Window{Behind: 1}, Match{Result: Rejected}},
		{"", 61, Window{Behind: 1}, Match{Result: Rejected}},
		{"2870820", 61, Window{Behind: 1}, Match{Result: Rejected}},
	} {
		match, err := key.VerifyTOTP(test.code, time.Unix(test.unix, 0), Params{}, test.window)
		if match != test.want || err != nil {
			t.Errorf("%+v: %+v, %v", test, match, err)
		}
	}
}

func TestABatchAnswersAsOneByOne(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	requests := make([]Request, 500)
	for i := range requests {
		bytes := make([]byte, 1+random.Intn(200))
		random.Read(bytes)
		key := newKey(t, []Hash{SHA1, SHA256, SHA512}[i%3], bytes)
		at, params := time.Unix(random.Int63n(1<<40), 0), Params{Digits: 6 + i%2, Period: 30 + int64(i%5)}
		var code string
		var err error
		isHOTP, counter := i%4 == 0, random.Uint64()>>1
		if isHOTP {
			code, err = key.HOTP(counter+uint64(random.Intn(8)), params.Digits)
		} else {
			code, err = key.TOTP(at.Add(time.Duration(random.Intn(9)-4)*time.Duration(params.Period)*time.Second), params)
		}
		if err != nil {
			t.Fatal(err)
		}
		step := uint64(at.Unix()/params.Period - 1)
		requests[i] = Request{
			key, code[:len(code)-i%7/6], params, at, Window{random.Intn(4), random.Intn(4), &step}, isHOTP, counter,
			random.Intn(8),
		}
	}
	requests[7].Window.Ahead = 11
	requests[9].At = time.Unix(-1, 0)
	requests[10].Key = new(Key)
	requests[11].Params.Digits = -6
	want := make([]Outcome, len(requests))
	results := map[Result]int{}
	for i, request := range requests {
		var match Match
		var err error
		if request.IsHOTP {
			match, err = request.Key.VerifyHOTP(request.Code, request.Counter, request.Params.Digits, request.LookAhead)
		} else {
			match, err = request.Key.VerifyTOTP(request.Code, request.At, request.Params, request.Window)
		}
		want[i] = Outcome{match, err}
		results[match.Result]++
	}
	for i, expected := range map[int]error{
		7: ErrInvalidWindow, 9: ErrTimeBeforeT0, 10: ErrInvalidArgument, 11: ErrInvalidDigits,
	} {
		if want[i].Err != expected {
			t.Errorf("request %d: %v, want %v", i, want[i], expected)
		}
	}
	if len(results) != 3 {
		t.Fatalf("the requests do not have all outcomes: %v", results)
	}
	requests[10].Key = nil

	// Verify while the garbage collector runs.
	var all sync.WaitGroup
	for range [8]int{} {
		all.Add(1)
		go func() {
			defer all.Done()
			answers, err := VerifyBatch(requests)
			if err != nil || !reflect.DeepEqual(answers, want) {
				t.Errorf("a batch answers otherwise: %v", err)
			}
			runtime.GC()
		}()
	}
	all.Wait()
	if answers, err := VerifyBatch(nil); len(answers) != 0 || err != nil {
		t.Errorf("an empty batch: %v, %v", answers, err)
	}
}

func TestSecretsAreNewAndLongEnough(t *testing.T) {
	for hash, length := range map[Hash]int{SHA1: 20, SHA256: 32, SHA512: 64} {
		first, err := GenerateSecret(hash)
		second, again := GenerateSecret(hash)
		if len(first) != length || string(first) == string(second) || err != nil || again != nil {
			t.Errorf("hash %d: %d bytes, %v, %v", hash, len(first), err, again)
		}
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
		var status Error
		if !errors.As(test.err, &found) || *found != test.want || found.Error() != test.text {
			t.Errorf("%v, want %+v", test.err, test.want)
		}
		if !errors.Is(test.err, test.want.Err) || errors.Is(test.err, ErrEmptySecret) || !errors.As(test.err, &status) {
			t.Errorf("%v is not %v", test.err, test.want.Err)
		}
	}
	for _, text := range []string{"", "\x00", "otpauth://totp/\xff?secret=AA", strings.Repeat("A", 1<<20)} {
		if uri, err := ParseKeyURI(text); err == nil || uri.Secret != nil {
			t.Errorf("%.20q: %v", text, uri)
		}
	}
	lenient, err := ParseKeyURI("otpauth://hotp/a+b?secret=GEZDGNBV&issuer=a+b", PlusIsSpace, MissingCounterIsZero)
	if err != nil || lenient.Issuer != "a b" || lenient.Account != "a+b" || !lenient.IsHOTP {
		t.Errorf("%s, %v", lenient.Issuer, err)
	}
}

func TestMistakesAreErrors(t *testing.T) {
	if _, err := NewKey(SHA1, nil); !errors.Is(err, ErrEmptySecret) {
		t.Errorf("no secret: %v", err)
	}
	if _, err := NewKey(0, secret); err != ErrInvalidArgument {
		t.Errorf("no hash: %v", err)
	}
	key := newKey(t, SHA1, secret)
	key.Close()
	if _, err := key.TOTP(time.Unix(59, 0), Params{}); err != ErrInvalidArgument {
		t.Errorf("a closed key: %v", err)
	}
	match, err := key.VerifyTOTP("287082", time.Unix(59, 0), Params{}, Window{})
	if match.Result != Rejected || err == nil {
		t.Errorf("a closed key: %v, %v", match, err)
	}
	if err := SelfTest(); err != nil {
		t.Error(err)
	}
}
