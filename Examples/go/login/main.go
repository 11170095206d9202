// Login does what a server does: it enrols a user, accepts each code at most once, and verifies many codes at once.
package main

import (
	"fmt"
	"log"
	"time"

	"example.com/otp"
)

// A row of the server's table of users. In a real server the secret is stored encrypted.
type user struct {
	name     string
	secret   []byte
	lastStep *uint64 // the last accepted step; nil (NULL) if there is none
}

// enrol creates a user's secret, and the URI for their authenticator app.
func enrol(name string) (*user, string, error) {
	secret, err := otp.GenerateSecret(otp.SHA1)
	if err != nil {
		return nil, "", err
	}
	uri, err := otp.URI(otp.SHA1, secret, "Example", name)
	return &user{name: name, secret: secret}, uri, err
}

// logIn reports whether a code logs the user in. Before calling it, count the attempt, and lock the user after a few
// failures. Two concurrent logins both read the old step: in a database, let in only the one whose update changes the
// row.
//
//	UPDATE users SET last_step = $1 WHERE id = $2 AND (last_step IS NULL OR last_step < $1)
//
// A bigint is signed: refuse a step above math.MaxInt64, which int64(step) would make negative.
func (u *user) logIn(typed string, at time.Time) (bool, error) {
	code, err := otp.ReadTyped(typed)
	if err == otp.ErrMalformedCode {
		return false, nil
	} else if err != nil {
		return false, err
	}
	key, err := otp.NewKey(otp.SHA1, u.secret)
	if err != nil {
		return false, err
	}
	defer key.Close()
	match, err := key.Verify(code, at, otp.Window{Behind: 1, Ahead: 1, After: u.lastStep})
	if err != nil || match.Result != otp.Accepted {
		return false, err
	}
	u.lastStep = &match.Step
	return true, nil
}

func main() {
	check(otp.SelfTest())
	alice, uri, err := enrol("alice@example.com")
	check(err)
	fmt.Println("Show this as a QR code:", uri)

	now := time.Now()
	app, err := otp.NewKey(otp.SHA1, alice.secret)
	check(err)
	defer app.Close()
	code, err := app.Code(now)
	check(err)
	first, err := alice.logIn(code[:3]+" "+code[3:]+"\n", now)
	check(err)
	again, err := alice.logIn(code, now)
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
		code, err := key.Code(now)
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
