#!/usr/bin/env bash
# The main use with default settings: follows a new secret from its URI to a verified code, and a second factor from its
# enrollment to its removal, then validates the vectors.
set -euo pipefail
umask 077
cd "$(dirname "$0")/.."
otp=.build-release/release/otp

heading() { printf '\n== %s\n' "$1"; }

# Runs a command that must exit with the given status.
expect_status() {
  local expected=$1 status=0
  shift
  "$@" || status=$?
  if [ "$status" -ne "$expected" ]; then
    echo "demo: exit status $status instead of $expected: $*" >&2
    exit 1
  fi
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

heading "A new secret, as the URI for an authenticator app"
secret_file=$work/secret.txt
"$otp" secret > "$secret_file"
"$otp" uri build --type totp --issuer Example --account alice@example.com --secret-file "$secret_file"

# One time for all of the following codes, so that no step ends in between.
now=$(date +%s)
heading "Its code now"
code=$("$otp" generate --secret-file "$secret_file" --at "$now")
echo "$code"

heading "The code verified"
accepted=$(expect_status 0 "$otp" verify "$code" --secret-file "$secret_file" --at "$now")
echo "$accepted"
step=${accepted#accepted step=}
step=${step%% *}

heading "The same code again, after that step: a replay"
expect_status 1 "$otp" verify "$code" --secret-file "$secret_file" --at "$now" --after "$step"

heading "A wrong code"
valid=$("$otp" generate --secret-file "$secret_file" --at "$((now - 30))" --count 3)
wrong=000000
while grep -q "$wrong" <<< "$valid"; do wrong=$(printf '%06d' "$((10#$wrong + 1))"); done
expect_status 1 "$otp" verify "$wrong" --secret-file "$secret_file" --at "$now"

# Factors go by the machine's clock. The window of one step on either side, which follows each code, has those below.
account=(alice@example.com --store "$work/factors.sqlite")

# The code this many steps later, from the URI that the enrollment shows, as in an app.
app_code() { "$otp" generate --secret-file - --at "$((now + 30 * $1))" < "$work/uri.txt"; }

heading "A store and its keyring, created together"
"$otp" store create --store "$work/factors.sqlite"

heading "A second factor enrolled: its key, shown once, and its first code"
# The drawing passes through a pipe to the terminal.
if [ -t 1 ]; then export CLICOLOR_FORCE=1; fi
coproc enrollment { exec "$otp" enroll "${account[@]}" --issuer Example --name "Phone app"; }
enrollment_id=$!
exec {shown}<&"${enrollment[0]}" {typed}>&"${enrollment[1]}"
unset CLICOLOR_FORCE
while IFS= read -r line <&"$shown"; do
  printf '%s\n' "$line"
  case $line in
    otpauth:*) printf '%s\n' "$line" > "$work/uri.txt" ;;
    secret=*)
      code=$(app_code 0)
      echo "$code"
      echo "$code" >&"$typed"
      ;;
  esac
done
expect_status 0 wait "$enrollment_id"

heading "A sign-in by its next code"
code=$(app_code 1)
expect_status 0 "$otp" authenticate "${account[@]}" -- "$code"

heading "The same code again: a replay, refused like any wrong code"
expect_status 1 "$otp" authenticate "${account[@]}" -- "$code"

heading "Recovery codes, for another code"
expect_status 0 "$otp" recovery-codes "${account[@]}" --code "$(app_code 2)" | tee "$work/recovery.txt"

heading "A recovery code, once"
expect_status 0 "$otp" authenticate "${account[@]}" --recovery-code < "$work/recovery.txt"

heading "The same recovery code again"
expect_status 1 "$otp" authenticate "${account[@]}" --recovery-code < "$work/recovery.txt"

heading "The account's factors"
factors=$(expect_status 0 "$otp" factors "${account[@]}")
echo "$factors"

heading "The factor removed"
factor=${factors#uid=}
expect_status 0 "$otp" unenroll "${account[@]}" "${factor%% *}"
expect_status 0 "$otp" factors "${account[@]}" --json

heading "The test vectors, on every backend of this machine"
results=$("$otp" vectors vectors) || { echo "$results"; exit 1; }
tail -n 1 <<< "$results"
