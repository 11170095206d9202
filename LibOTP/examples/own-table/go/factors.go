package main

import (
	"database/sql"
	"time"

	"example.com/otp"
)

// factors are the users' second factors, each in the column otp of its user's row, which is empty without one.
type factors struct {
	database *sql.DB
	keyring  *otp.Keyring
}

// underTheRule replaces the record that was read with the new one, if it is still there; answers only if that
// succeeded; otherwise reads again.
func (f factors) underTheRule(user string, answer func(record []byte) (otp.Answer, error)) (otp.Answer, error) {
	return otp.ReplaceUnder(func() (record []byte, err error) {
		err = f.database.QueryRow("SELECT otp FROM users WHERE id = $1", user).Scan(&record)
		return record, err
	}, answer, func(old, new []byte) (bool, error) {
		result, err := f.database.Exec("UPDATE users SET otp = $1 WHERE id = $2 AND otp = $3", new, user, old)
		if err != nil {
			return false, err
		}
		count, err := result.RowsAffected()
		return count == 1, err
	})
}

// enroll returns the key URI of a new factor, for a QR code; an empty one if the user has a factor.
func (f factors) enroll(user string, now time.Time) (uri string, err error) {
	_, err = f.underTheRule(user, func(record []byte) (answer otp.Answer, err error) {
		uri = ""
		answer.Record, err = f.keyring.Enroll("user "+user, otp.Enrollment{Previous: record}, now)
		if err == otp.ErrEnrolled {
			return answer, nil
		}
		answer.Changed = true
		if err == nil {
			uri, err = f.keyring.URI("user "+user, answer.Record, "Example", user)
		}
		return answer, err
	})
	return uri, err
}

// confirm confirms the enrollment by a code, which is spent.
func (f factors) confirm(user, typed string, now time.Time) (otp.Answer, error) {
	return f.underTheRule(user, func(record []byte) (otp.Answer, error) {
		return f.keyring.Confirm("user "+user, record, typed, now, otp.DefaultPolicy())
	})
}

// signIn verifies a code, after the right password. Give the client the answer's Kind and Until, and log its Reason.
func (f factors) signIn(user, typed string, now time.Time) (otp.Answer, error) {
	return f.underTheRule(user, func(record []byte) (otp.Answer, error) {
		return f.keyring.Verify("user "+user, record, typed, now, otp.DefaultPolicy())
	})
}
