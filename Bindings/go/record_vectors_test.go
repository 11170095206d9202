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

// A sequence is a test of vectors/record-sequences.json: what a factor answers to one submission after another.
type sequence struct {
	ID      int      `json:"id"`
	Comment string   `json:"comment"`
	Flags   []string `json:"flags"`
	Needs   []string `json:"needs"`
	Last    *uint64  `json:"last,string"`
	Steps   []struct {
		Time    int64    `json:"time,string"`
		Codes   []string `json:"codes"`
		Answer  string   `json:"answer"`
		Matched uint64   `json:"matched,string"`
		Until   *int64   `json:"until,string"`
	} `json:"steps"`
}

type sequences struct {
	Format  string `json:"format"`
	Version string `json:"version"`
	Source  string `json:"source"`
	Groups  []struct {
		ID                         string     `json:"id"`
		Type                       string     `json:"type"`
		Comment                    string     `json:"comment"`
		Reference                  string     `json:"reference"`
		Needs                      []string   `json:"needs"`
		Algorithm                  string     `json:"algorithm"`
		Digits                     int        `json:"digits"`
		Period                     int64      `json:"period,string"`
		T0                         int64      `json:"t0,string"`
		Secret                     string     `json:"secretHex"`
		Window                     int        `json:"window"`
		LookAhead                  int        `json:"lookAhead"`
		ResynchronizationLookAhead int        `json:"resynchronizationLookAhead"`
		FailuresUntilLock          int        `json:"failuresUntilLock"`
		LockSeconds                int64      `json:"lockSeconds"`
		FirstDelayedFailure        int        `json:"firstDelayedFailure"`
		InitialDelaySeconds        int64      `json:"initialDelaySeconds"`
		Tests                      []sequence `json:"tests"`
	} `json:"groups"`
}

func decodeJSON(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// words says an answer as a test words it.
func words(answer Answer) string {
	until := "null"
	if !answer.Until.IsZero() {
		until = fmt.Sprint(answer.Until.Unix())
	}
	switch answer.Kind {
	case AnswerAccepted:
		return fmt.Sprint("accepted ", answer.Step)
	case AnswerRejected:
		return "rejected"
	case AnswerWait:
		return "wait " + until
	case AnswerLocked:
		return "locked " + until
	}
	return "unknown"
}

// answers returns how many tests of a file a factor answers as they say, and describes the first that it does not.
func answers(t *testing.T, text []byte) (passed int, failure string) {
	t.Helper()
	var file sequences
	if err := decodeJSON(text, &file); err != nil || file.Format != "otp-vectors/2" {
		t.Fatalf("format %q: %v", file.Format, err)
	}
	keyring := newKeyring(t)
	for _, group := range file.Groups {
		secret, err := hex.DecodeString(group.Secret)
		hash, isKnown := map[string]Hash{"SHA1": SHA1, "SHA256": SHA256, "SHA512": SHA512}[group.Algorithm]
		if err != nil || !isKnown || len(group.Tests) == 0 {
			t.Fatalf("%s: %v", group.ID, err)
		}
		policy := Policy{
			AdjacentIntervals: group.Window, LookAhead: group.LookAhead,
			ResynchronizationLookAhead: group.ResynchronizationLookAhead, FailuresUntilLock: group.FailuresUntilLock,
			Lock: time.Duration(group.LockSeconds) * time.Second, FirstDelayedFailure: group.FirstDelayedFailure,
			InitialDelay: time.Duration(group.InitialDelaySeconds) * time.Second,
		}
		for _, test := range group.Tests {
			params := Params{group.Digits, group.Period, group.T0}
			enrollment := Enrollment{Hash: hash, Params: params, Secret: secret, IsConfirmed: true}
			switch group.Type {
			case "record-totp":
				enrollment.After = test.Last
			case "record-hotp":
				enrollment.IsHOTP = true
				if test.Last != nil {
					enrollment.Counter = *test.Last + 1
				}
			default:
				t.Fatalf("%s: a group of type %s", group.ID, group.Type)
			}
			record, err := keyring.Enroll("user 42", enrollment, time.Unix(test.Steps[0].Time, 0))
			if err != nil {
				t.Fatalf("%s/%d: %v", group.ID, test.ID, err)
			}
			isRight := true
			for place, step := range test.Steps {
				expected := step.Answer
				switch {
				case step.Answer == "accepted":
					expected += fmt.Sprint(" ", step.Matched)
				case step.Answer == "wait" || step.Answer == "locked":
					expected += " null"
					if step.Until != nil {
						expected = fmt.Sprint(step.Answer, " ", *step.Until)
					}
				}
				var answer Answer
				var found string
				now := time.Unix(step.Time, 0)
				switch len(step.Codes) {
				case 0:
					answer.Record, err = keyring.Unlock("user 42", record, now)
					found = "unlocked"
				case 1:
					answer, err = keyring.Verify("user 42", record, step.Codes[0], now, policy)
					found = words(answer)
				default:
					answer, err = keyring.Resynchronize("user 42", record, step.Codes, now, policy)
					found = words(answer)
				}
				if err != nil || found != expected {
					failure = fmt.Sprintf("%s/%d, step %d: %s, not %s: %v", group.ID, test.ID, place+1, found, expected, err)
					isRight = false
					break
				}
				record = answer.Record
			}
			if isRight {
				passed++
			}
		}
	}
	return passed, failure
}

func TestSequences(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "vectors", "record-sequences.json"))
	if err != nil {
		t.Fatal(err)
	}
	count := strings.Count(string(text), `"steps":`)
	if passed, failure := answers(t, text); passed != count || count < 100 {
		t.Errorf("%d of %d: %s", passed, count, failure)
	}
	// Of each answer, another is noticed.
	for old, new := range map[string]string{
		`"answer": "accepted", "matched": "`: `"answer": "accepted", "matched": "1`,
		`"answer": "rejected"`:               `"answer": "wait"`,
		`"answer": "wait", "until": "`:       `"answer": "wait", "until": "1`,
		`"answer": "locked", "until": null`:  `"answer": "rejected"`,
	} {
		if passed, _ := answers(t, []byte(strings.Replace(string(text), old, new, 1))); passed != count-1 {
			t.Errorf("%s instead of %s: %d of %d", new, old, passed, count)
		}
	}
}
