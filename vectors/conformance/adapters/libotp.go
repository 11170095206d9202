// libotp from Go (LibOTP/bindings/go).
package main

import (
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"example.com/otp"
)

const subject = "user 42"

var (
	hashes = map[string]otp.Hash{"SHA1": otp.SHA1, "SHA256": otp.SHA256, "SHA512": otp.SHA512}
	// What the next batch verifies.
	requests []otp.Request
	// The factor of the sequence.
	keyring *otp.Keyring
	policy  otp.Policy
	record  []byte
)

func (w words) bytes(place int) []byte { return []byte(w.text(place)) }

// The key of HASH and a SECRET. It is closed with the process.
func (w words) key(secret int) *otp.Key {
	key, err := otp.NewKey(hashes[w[1]], w.bytes(secret))
	if err != nil {
		panic(err)
	}
	return key
}

func (w words) params() otp.Params {
	return otp.Params{Digits: int(w.signed(2)), Period: w.signed(3), T0: w.signed(4)}
}

func (w words) last(place int) *uint64 {
	if w[place] == "-" {
		return nil
	}
	last := w.unsigned(place)
	return &last
}

func hexadecimal(data []byte, err error) string { return said("x"+hex.EncodeToString(data), err) }

func outcome(match otp.Match, separator string) string {
	if match.Result != otp.Accepted {
		return match.Result.String()
	}
	return fmt.Sprint("accepted", separator, match.Step, separator, match.Offset)
}

func verified(request otp.Request) string {
	requests = append(requests, request)
	var match otp.Match
	var err error
	if request.IsHOTP {
		match, err = request.Key.VerifyHOTP(request.Code, request.Counter, request.Params.Digits, request.LookAhead)
	} else {
		match, err = request.Key.VerifyTOTP(request.Code, request.At, request.Params, request.Window)
	}
	return said(outcome(match, " "), err)
}

func batch() string {
	outcomes, err := otp.VerifyBatch(requests)
	texts := []string{}
	for _, each := range outcomes {
		texts = append(texts, outcome(each.Match, ":"))
		if each.Err != nil {
			err = each.Err
		}
	}
	requests = nil
	return said(strings.Join(texts, " "), err)
}

func described(uri otp.KeyURI, err error) string {
	kind, factor := "totp", fmt.Sprint("period=", uri.Period)
	if uri.IsHOTP {
		kind, factor = "hotp", fmt.Sprint("counter=", uri.Counter)
	}
	return said(fmt.Sprintf("type=%s issuer=%s labelIssuer=%s account=%s secret=x%x algorithm=%s digits=%d %s", kind,
		optional(uri.Issuer), optional(uri.LabelIssuer), optional(uri.Account), uri.Secret, uri.Hash, uri.Digits,
		factor), err)
}

func built(w words) string {
	uri := otp.KeyURI{
		IsHOTP: w[1] == "hotp", Account: w.text(3), Secret: w.bytes(4), Hash: hashes[w[5]], Digits: int(w.signed(6)),
	}
	if w[2] != "-" {
		uri.Issuer = w.text(2)
	}
	if uri.IsHOTP {
		uri.Counter = w.unsigned(7)
	} else {
		uri.Period = w.signed(7)
	}
	text, err := uri.Text()
	return hexadecimal([]byte(text), err)
}

// Begins a sequence, of which `rest` is where the policy begins.
func begin(w words, enrollment otp.Enrollment, rest int) string {
	if keyring == nil {
		keyring, _ = otp.NewUnsealedKeyring()
	}
	enrollment.Hash, enrollment.IsConfirmed = hashes[w[1]], true
	policy.FailuresUntilLock, policy.Lock = int(w.signed(rest)), time.Duration(w.signed(rest+1))*time.Second
	policy.FirstDelayedFailure = int(w.signed(rest + 2))
	policy.InitialDelay = time.Duration(w.signed(rest+3)) * time.Second
	var err error
	record, err = keyring.Enroll(subject, enrollment, time.Unix(w.signed(rest+5), 0))
	return said("", err)
}

func submitted(w words) string {
	now, codes := time.Unix(w.signed(1), 0), []string{}
	for place := 2; place < len(w); place++ {
		codes = append(codes, w.text(place))
	}
	var answer otp.Answer
	var err error
	if len(codes) == 1 {
		answer, err = keyring.Verify(subject, record, codes[0], now, policy)
	} else {
		answer, err = keyring.Resynchronize(subject, record, codes, now, policy)
	}
	if err != nil {
		return "refused"
	}
	record = answer.Record
	text := "ok " + answer.Kind.String()
	switch {
	case answer.Kind == otp.AnswerAccepted:
		text += fmt.Sprint(" ", answer.Step)
	case !answer.Until.IsZero():
		text += fmt.Sprint(" ", answer.Until.Unix())
	case answer.Kind == otp.AnswerLocked:
		text += " -"
	}
	return text
}

func answer(w words) string {
	switch w[0] {
	case "hello":
		return "ok libotp " + otp.Version()
	case "hotp":
		return said(w.key(3).HOTP(w.unsigned(4), int(w.signed(2))))
	case "totp":
		return said(w.key(5).TOTP(time.Unix(w.signed(6), 0), w.params()))
	case "verify-totp":
		return verified(otp.Request{
			Key: w.key(5), Code: w.text(6), Params: w.params(), At: time.Unix(w.signed(7), 0),
			Window: otp.Window{Behind: int(w.signed(8)), Ahead: int(w.signed(9)), After: w.last(10)},
		})
	case "verify-hotp":
		return verified(otp.Request{
			Key: w.key(3), Code: w.text(4), Params: otp.Params{Digits: int(w.signed(2))}, IsHOTP: true,
			Counter: w.unsigned(5), LookAhead: int(w.signed(6)),
		})
	case "batch":
		return batch()
	case "base32":
		return hexadecimal(otp.DecodeBase32(w.text(1)))
	case "strict-base32":
		return hexadecimal(otp.DecodeBase32Strict(w.text(1)))
	case "base32-encode":
		return hexadecimal([]byte(otp.EncodeBase32(w.bytes(1))), nil)
	case "base32-code":
		secret, err := otp.DecodeBase32(w.text(4))
		if err != nil {
			return "refused"
		}
		key, err := otp.NewKey(hashes[w[1]], secret)
		if err != nil {
			return "refused"
		}
		return said(key.HOTP(w.unsigned(3), int(w.signed(2))))
	case "uri-parse":
		return described(otp.ParseKeyURI(w.text(1)))
	case "uri-build":
		return built(w)
	case "record-totp":
		policy = otp.StrictPolicy()
		policy.AdjacentSteps = int(w.signed(6))
		return begin(w, otp.Enrollment{Params: w.params(), Secret: w.bytes(5), After: w.last(11)}, 7)
	case "record-hotp":
		policy = otp.StrictPolicy()
		policy.LookAhead, policy.ResynchronizationLookAhead = int(w.signed(4)), int(w.signed(5))
		enrollment := otp.Enrollment{IsHOTP: true, Params: otp.Params{Digits: int(w.signed(2))}, Secret: w.bytes(3)}
		if last := w.last(10); last != nil {
			enrollment.Counter = *last + 1
		}
		return begin(w, enrollment, 6)
	case "submit":
		return submitted(w)
	case "unlock":
		var err error
		record, err = keyring.Unlock(subject, record, time.Unix(w.signed(1), 0))
		return said("unlocked", err)
	}
	return "cannot"
}

func main() { serve(answer) }
