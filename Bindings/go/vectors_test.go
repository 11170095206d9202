package otp

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A vector is a test of vectors/, of any type but those of records.
type vector struct {
	ID                            int
	Comment, Result, Ours         string
	Flags, Needs                  []string
	HMACHex, Truncated, OtherStep json.RawMessage // not used
	Code, Text, Canonical, Hex    string
	URI                           string
	Time                          *int64  `json:",string"`
	Counter                       uint64  `json:",string"`
	Step                          uint64  `json:",string"`
	Matched                       uint64  `json:",string"`
	After                         *uint64 `json:",string"`
	Behind, Ahead, LookAhead      int
	Offset                        int64
	Key, Expect                   *description
}

// A description is of the key in a URI.
type description struct {
	Type, Issuer, LabelIssuer, Account, SecretHex, Algorithm string
	Digits                                                   int
	Period                                                   int64  `json:",string"`
	Counter                                                  uint64 `json:",string"`
}

type group struct {
	ID, Type, Comment, Reference, Algorithm, SecretHex, Decoder string
	Needs                                                       []string
	Digits                                                      int
	Period                                                      int64 `json:",string"`
	T0                                                          int64 `json:",string"`
	Tests                                                       []json.RawMessage
}

// result is the expected one: what the standard says or, if it leaves that open, what libotp does.
func (v vector) result() string {
	if v.Result == "acceptable" {
		return v.Ours
	}
	return v.Result
}

func (d description) uri() (KeyURI, error) {
	secret, err := hex.DecodeString(d.SecretHex)
	return KeyURI{
		d.Type == "hotp", hashes[d.Algorithm], d.Digits, d.Period, d.Counter, secret, d.Account, d.Issuer, d.LabelIssuer,
	}, err
}

var hashes = map[string]Hash{"SHA1": SHA1, "SHA256": SHA256, "SHA512": SHA512}

// is compares a result with the expected one.
func is[T comparable](found T, err error, expected T) error {
	if err == nil && found != expected {
		err = fmt.Errorf("%v instead of %v", found, expected)
	}
	return err
}

// isRefused wants an error if the expected result is one.
func isRefused(v vector, err error) (bool, error) {
	switch v.result() {
	case "valid":
		return false, nil
	case "invalid":
		if err == nil {
			return true, fmt.Errorf("accepted")
		}
		return true, nil
	}
	return true, fmt.Errorf("an unknown result, %q", v.result())
}

// isKey compares what a URI says with what is expected. (A period of HOTP and a counter of TOTP say nothing.)
func isKey(found KeyURI, err error, expected description, withLabel bool) error {
	want, invalid := expected.uri()
	if err != nil || invalid != nil {
		return fmt.Errorf("%v, %v", err, invalid)
	}
	if want.IsHOTP {
		found.Period = 0
	}
	if !withLabel {
		found.LabelIssuer = ""
	}
	describe := func(uri KeyURI) string {
		type plain KeyURI // without Format
		return fmt.Sprintf("%+v", plain(uri))
	}
	return is(describe(found), nil, describe(want))
}

func (v vector) verification(request Request) error {
	var match Match
	var err error
	if request.IsHOTP {
		match, err = request.Key.VerifyHOTP(v.Code, v.Counter, request.Params.Digits, v.LookAhead)
	} else {
		match, err = request.Key.VerifyTOTP(v.Code, request.At, request.Params, request.Window)
	}
	expected := map[string]Match{
		"accepted": {Accepted, v.Step, v.Offset}, "rejected": {Result: Rejected}, "replayed": {Result: Replayed},
	}[v.result()]
	if request.IsHOTP && expected.Result == Accepted {
		expected.Step, expected.Offset = v.Matched, int64(v.Matched-v.Counter)
	}
	if err := is(match, err, expected); err != nil || expected.Result.String() != v.result() {
		return fmt.Errorf("%v: %v", v.result(), err)
	}
	outcomes, err := VerifyBatch([]Request{request})
	if err != nil {
		return err
	}
	return is(outcomes[0].Match, outcomes[0].Err, expected)
}

// check runs a test.
func check(g group, v vector) error {
	params := Params{g.Digits, g.Period, g.T0}
	var key *Key
	if secret, err := hex.DecodeString(g.SecretHex); err != nil {
		return err
	} else if len(secret) > 0 {
		if key, err = NewKey(hashes[g.Algorithm], secret); err != nil {
			return err
		}
		defer key.Close()
	}
	switch g.Type {
	case "hotp":
		code, err := key.HOTP(v.Counter, g.Digits)
		return is(code, err, v.Code)
	case "totp":
		code, err := key.TOTP(time.Unix(*v.Time, 0), params)
		if err := is(code, err, v.Code); err != nil {
			return err
		}
		code, err = key.HOTP(v.Step, g.Digits)
		return is(code, err, v.Code)
	case "verify-totp":
		return v.verification(Request{
			Key: key, Code: v.Code, Params: params, At: time.Unix(*v.Time, 0), Window: Window{v.Behind, v.Ahead, v.After},
		})
	case "verify-hotp":
		return v.verification(Request{
			Key: key, Code: v.Code, Params: params, IsHOTP: true, Counter: v.Counter, LookAhead: v.LookAhead,
		})
	case "base32":
		read := map[string]func(string) ([]byte, error){"lenient": DecodeBase32, "strict": DecodeBase32Strict}[g.Decoder]
		found, err := read(v.Text)
		if refused, failure := isRefused(v, err); refused {
			return failure
		}
		if err := is(hex.EncodeToString(found), err, v.Hex); err != nil {
			return err
		}
		return is(EncodeBase32(found), nil, v.Canonical)
	case "base32-code":
		secret, err := DecodeBase32(v.Text)
		read := KeyURI{IsHOTP: true, Hash: hashes[g.Algorithm], Digits: g.Digits, Counter: v.Counter, Secret: secret}
		return isCode(v, read, err)
	case "uri-code":
		uri, err := ParseKeyURI(v.URI)
		return isCode(v, uri, err)
	case "uri-parse":
		uri, err := ParseKeyURI(v.URI)
		if refused, failure := isRefused(v, err); refused {
			return failure
		}
		return isKey(uri, err, *v.Expect, true)
	case "uri-build", "uri-round-trip":
		uri, err := v.Key.uri()
		if err != nil {
			return err
		}
		text, err := uri.Text()
		if g.Type == "uri-build" {
			err = is(text, err, v.URI)
		}
		if err != nil {
			return err
		}
		uri, err = ParseKeyURI(text)
		return isKey(uri, err, *v.Key, false)
	}
	return fmt.Errorf("an unknown type, %s", g.Type)
}

// isCode compares the code of a key that was read with the expected one, or error.
func isCode(v vector, read KeyURI, err error) error {
	code := ""
	if err == nil {
		var key *Key
		if key, err = NewKey(read.Hash, read.Secret); err == nil {
			defer key.Close()
			if read.IsHOTP {
				code, err = key.HOTP(read.Counter, read.Digits)
			} else {
				code, err = key.TOTP(time.Unix(*v.Time, 0), Params{Digits: read.Digits, Period: read.Period})
			}
		}
	}
	if refused, failure := isRefused(v, err); refused {
		return failure
	}
	return is(code, err, v.Code)
}

// run returns how many tests of a file pass, how many are of types that cannot be run, and the failures.
func run(t *testing.T, text []byte) (passed, skipped int, failures []string) {
	t.Helper()
	var file struct {
		Format, Version, Source, Comment string
		Groups                           []group
	}
	if err := decodeJSON(text, &file); err != nil || file.Format != "otp-vectors/2" {
		t.Fatalf("format %q: %v", file.Format, err)
	}
	for _, group := range file.Groups {
		for _, text := range group.Tests {
			var test vector
			if group.Type == "hmac" { // libotp has no HMAC by itself.
				skipped++
			} else if err := decodeJSON(text, &test); err != nil {
				t.Fatalf("%s: %v", group.ID, err)
			} else if err := check(group, test); err != nil {
				failures = append(failures, fmt.Sprintf("%s/%d: %v", group.ID, test.ID, err))
			} else {
				passed++
			}
		}
	}
	return passed, skipped, failures
}

func TestVectors(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "vectors", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	// Of each type, another expectation is noticed.
	faults := map[string][2]string{
		"totp-steps":           {`"code": "`, `"code": "x`},
		"rfc4226-hotp":         {`"code": "`, `"code": "x`},
		"verification-windows": {`"result": "accepted"`, `"result": "rejected"`},
		"replay-floors":        {`"result": "replayed"`, `"result": "rejected"`},
		"hotp-look-ahead":      {`"matched": "`, `"matched": "1`},
		"base32-strict":        {`"canonical": "`, `"canonical": "A`},
		"base32-cases":         {`"result": "invalid"`, `"result": "valid"`},
		"secret-to-code":       {`"code": "`, `"code": "x`},
		"uri-parse":            {`"account": "`, `"account": "x`},
		"uri-build":            {`"uri": "`, `"uri": "x`},
		"uri-round-trip":       {`"digits": `, `"digits": 1`},
	}
	all, skippedInAll := 0, 0
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		if name == "schema" || name == "record-sequences" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		passed, skipped, failures := run(t, text)
		for _, failure := range failures {
			t.Error(failure)
		}
		all, skippedInAll = all+passed, skippedInAll+skipped
		if fault, isPlanted := faults[name]; isPlanted {
			delete(faults, name)
			_, _, failures := run(t, bytes.Replace(text, []byte(fault[0]), []byte(fault[1]), 1))
			if len(failures) != 1 {
				t.Errorf("%s: %s instead of %s: %v", name, fault[1], fault[0], failures)
			}
		}
	}
	if all < 2500 || skippedInAll > 200 || len(faults) > 0 {
		t.Errorf("%d passed, %d cannot be run; of %v there is no file", all, skippedInAll, faults)
	}
	t.Logf("%d passed, %d of HMAC by itself cannot be run", all, skippedInAll)
}
