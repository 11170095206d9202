// Login does what a server does: it enrolls a user, accepts each code at most once, and verifies many codes at once.
package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"log"
	"time"

	"example.com/otp"
)

const subject = "user 42"

// A column is that of the user's row. In a real server, replace is
//
//	UPDATE users SET otp = $new WHERE id = 42 AND otp = $old
type column struct{ record []byte }

func (c *column) read() ([]byte, error) { return c.record, nil }

func (c *column) replace(old, new []byte) (bool, error) {
	if !bytes.Equal(c.record, old) {
		return false, nil
	}
	c.record = new
	return true, nil
}

// logIn reports whether a code logs the user in, under the one rule. Tell the client only that, and Until.
func (c *column) logIn(keyring *otp.Keyring, typed string, at time.Time) (bool, error) {
	answer, err := otp.ReplaceUnder(c.read, func(record []byte) (otp.Answer, error) {
		return keyring.Verify(subject, record, typed, at, otp.DefaultPolicy())
	}, c.replace)
	return answer.Kind == otp.AnswerAccepted, err
}

func main() {
	check(otp.SelfTest())
	// In a real server: otp.OpenKeyring, with the file that `otp keyring new` has written.
	bytes := make([]byte, 32)
	_, err := rand.Read(bytes)
	check(err)
	keyring, err := otp.NewKeyring(otp.NamedKey{Name: "2026-11", Key: bytes})
	check(err)
	defer keyring.Close()

	// Enrollment: a record whose code has confirmed it. The secret is given, since this program is the user's app, too.
	now := time.Now()
	secret, err := otp.GenerateSecret(otp.SHA1)
	check(err)
	app, err := otp.NewKey(otp.SHA1, secret)
	check(err)
	defer app.Close()
	record, err := keyring.Enroll(subject, otp.Enrollment{Secret: secret}, now)
	check(err)
	uri, err := keyring.URI(subject, record, "Example", "alice@example.com")
	check(err)
	fmt.Println("Show this as a QR code:", uri)
	code, err := app.TOTP(now, otp.Params{})
	check(err)
	confirmation, err := keyring.Confirm(subject, record, code, now, otp.DefaultPolicy())
	check(err)
	alice := &column{confirmation.Record}

	next := now.Add(30 * time.Second)
	code, err = app.TOTP(next, otp.Params{})
	check(err)
	first, err := alice.logIn(keyring, code[:3]+" "+code[3:]+"\n", next)
	check(err)
	again, err := alice.logIn(keyring, code, next)
	check(err)
	fmt.Printf("With the code: %t. With the same code again: %t.\n", first, again)

	// Many users at once, with keys that the server keeps.
	requests := make([]otp.Request, 1000)
	for i := range requests {
		secret, err := otp.GenerateSecret(otp.SHA1)
		check(err)
		key, err := otp.NewKey(otp.SHA1, secret)
		check(err)
		defer key.Close()
		code, err := key.TOTP(now, otp.Params{})
		check(err)
		requests[i] = otp.Request{Key: key, Code: code, At: now, Window: otp.Window{Behind: 1, Ahead: 1}}
	}
	answers, err := otp.VerifyBatch(requests)
	check(err)
	accepted := 0
	for _, answer := range answers {
		if answer.Err == nil && answer.Result == otp.Accepted {
			accepted++
		}
	}
	fmt.Printf("In one batch: %d of %d.\n", accepted, len(requests))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
