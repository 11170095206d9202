package otp

import (
	"errors"
	"fmt"
	"math/rand"
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

// The last six digits of RFC 6238's codes.
func TestCodesAreThoseOfTheRFC(t *testing.T) {
	key := newKey(t, SHA1, secret)
	for unix, want := range map[int64]string{
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037",
		20000000000: "353130",
	} {
		code, err := key.Code(time.Unix(unix, 0))
		if code != want || err != nil {
			t.Errorf("at %d: %q, %v, want %q", unix, code, err, want)
		}
		match, err := key.Verify(code, time.Unix(unix, 0), Window{})
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
		match, err := key.Verify(test.code, time.Unix(test.unix, 0), test.window)
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
		at := time.Unix(random.Int63n(1<<40), 0)
		code, err := key.Code(at.Add(time.Duration(random.Intn(9)-4) * 30 * time.Second))
		if err != nil {
			t.Fatal(err)
		}
		step := uint64(at.Unix()/30 - 1)
		requests[i] = Request{key, code[:6-i%7/6], at, Window{uint32(random.Intn(4)), uint32(random.Intn(4)), &step}}
	}
	requests[7].Window.Ahead = 11
	requests[8].At = time.Unix(-1, 0)
	want := make([]Outcome, len(requests))
	results := map[Result]int{}
	for i, request := range requests {
		match, err := request.Key.Verify(request.Code, request.At, request.Window)
		want[i] = Outcome{match, err}
		results[match.Result]++
	}
	if len(results) != 3 || want[7].Err != ErrInvalidWindow || want[8].Err != ErrTimeBeforeT0 {
		t.Fatalf("the requests do not have all outcomes: %v, %v, %v", results, want[7], want[8])
	}

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

func TestAURIHasItsParts(t *testing.T) {
	uri, err := URI(SHA1, secret, "Example", "alice@example.com")
	want := "otpauth://totp/Example:alice%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Example"
	if uri != want || err != nil {
		t.Errorf("%q, %v", uri, err)
	}
	if _, err := URI(SHA1, secret, "", "a:b"); err != ErrInvalidAccount {
		t.Errorf("an account with a colon: %v", err)
	}
}

func ExampleReadTyped() {
	fmt.Println(ReadTyped(" 287-082\n"))
	fmt.Println(ReadTyped("28708"))
	// Output:
	// 287082 <nil>
	//  otp: not a code with the expected number of digits
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
	if _, err := key.Code(time.Unix(59, 0)); err != ErrInvalidArgument {
		t.Errorf("a closed key: %v", err)
	}
	if match, err := key.Verify("287082", time.Unix(59, 0), Window{}); match.Result != Rejected || err == nil {
		t.Errorf("a closed key: %v, %v", match, err)
	}
	if err := SelfTest(); err != nil {
		t.Error(err)
	}
}
