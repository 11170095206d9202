// pquerna/otp: Debian's golang-github-pquerna-otp-dev. Its window is one number for both sides.
package main

import (
	"encoding/base32"
	"fmt"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"
)

var version string // set by the linker

var hashes = map[string]otp.Algorithm{
	"SHA1": otp.AlgorithmSHA1, "SHA256": otp.AlgorithmSHA256, "SHA512": otp.AlgorithmSHA512,
}

func secret(w words, place int) string { return base32.StdEncoding.EncodeToString([]byte(w.text(place))) }

func counted(w words) hotp.ValidateOpts {
	return hotp.ValidateOpts{Digits: otp.Digits(w.unsigned(2)), Algorithm: hashes[w[1]]}
}

func timed(w words) totp.ValidateOpts {
	return totp.ValidateOpts{Period: uint(w.unsigned(3)), Digits: otp.Digits(w.unsigned(2)), Algorithm: hashes[w[1]]}
}

func answer(w words) string {
	switch {
	case w[0] == "hello":
		return "ok pquerna/otp " + version
	case w[0] == "hotp":
		return said(hotp.GenerateCodeCustom(secret(w, 3), w.unsigned(4), counted(w)))
	case w[0] == "base32-code":
		return said(hotp.GenerateCodeCustom(w.text(4), w.unsigned(3), counted(w)))
	case w[0] == "totp" && w[4] == "0":
		return said(totp.GenerateCodeCustom(secret(w, 5), time.Unix(w.signed(6), 0), timed(w)))
	case w[0] == "verify-totp" && w[4] == "0" && w[8] == w[9] && w[10] == "-":
		options := timed(w)
		options.Skew = uint(w.unsigned(8))
		return verdict(totp.ValidateCustom(w.text(6), secret(w, 5), time.Unix(w.signed(7), 0), options))
	case w[0] == "verify-hotp" && w[6] == "0":
		return verdict(hotp.ValidateCustom(w.text(4), w.unsigned(5), secret(w, 3), counted(w)))
	case w[0] == "uri-parse":
		key, err := otp.NewKeyFromURL(w.text(1))
		if err != nil || key.Secret() == "" || (key.Type() != "totp" && key.Type() != "hotp") {
			return "refused" // It reads fields on demand: a caller sees that this one is missing.
		}
		return fmt.Sprintf("ok type=%s account=%s issuer=%s", key.Type(), optional(key.AccountName()), optional(key.Issuer()))
	}
	return "cannot"
}

func main() { serve(answer) }
