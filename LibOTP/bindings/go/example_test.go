package otp_test

import (
	"bytes"
	"fmt"
	"log"
	"time"

	"example.com/otp"
)

// A user enrolls, and signs in. In a real server, the keyring is that of a file, read by OpenKeyring; the secret is
// random, shown to the user's app in a QR code; and the record is in the column of a table.
func Example() {
	keyring, err := otp.NewKeyring(otp.NamedKey{Name: "2026-11", Key: bytes.Repeat([]byte{7}, 32)})
	if err != nil {
		log.Fatal(err)
	}
	defer keyring.Close()
	now := time.Unix(1111111109, 0)

	record, err := keyring.Enroll("user 42", otp.Enrollment{Secret: []byte("12345678901234567890")}, now)
	if err != nil {
		log.Fatal(err)
	}
	uri, err := keyring.URI("user 42", record, "Example", "alice")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(uri)
	answer, err := keyring.Confirm("user 42", record, "081804", now, otp.DefaultPolicy())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Kind)
	record = answer.Record

	signIn := func(typed string) (otp.Answer, error) {
		return otp.ReplaceUnder(
			func() ([]byte, error) { return record, nil }, // SELECT otp FROM users WHERE id = 42
			func(record []byte) (otp.Answer, error) {
				return keyring.Verify("user 42", record, typed, now, otp.DefaultPolicy())
			},
			func(old, new []byte) (bool, error) { // UPDATE users SET otp = $new WHERE id = 42 AND otp = $old
				if !bytes.Equal(record, old) {
					return false, nil
				}
				record = new
				return true, nil
			})
	}
	now = now.Add(2 * time.Second)
	for range [2]int{} {
		answer, err := signIn("050 471\n")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(answer.Kind) // for the client, with answer.Until; for the log, answer.Reason
	}
	// Output:
	// otpauth://totp/Example:alice?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Example
	// enrolled
	// accepted
	// rejected
}

// A server that keeps secrets and last steps itself.
func ExampleKey_VerifyTOTP() {
	secret, err := otp.DecodeBase32("GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ")
	if err != nil {
		log.Fatal(err)
	}
	key, err := otp.NewKey(otp.SHA1, secret)
	if err != nil {
		log.Fatal(err)
	}
	defer key.Close()
	window := otp.Window{Behind: 1, Ahead: 1}
	for range [2]int{} {
		match, err := key.VerifyTOTP("287082", time.Unix(61, 0), otp.Params{}, window)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(match.Result)
		if match.Result == otp.Accepted {
			window.After = &match.Step // stored before the user is let in
		}
	}
	// Output:
	// accepted
	// replayed
}
