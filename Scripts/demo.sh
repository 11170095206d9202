#!/usr/bin/env bash
# The main job on embedded defaults: validates the vectors, then follows one new secret from its URI to a verified code.
set -euo pipefail
cd "$(dirname "$0")/.."
otp=Tool/.build/release/otp

heading() { printf '\n== %s\n' "$1"; }

# Runs a command that must end with the given status.
expect_status() {
  local expected=$1 status=0
  shift
  "$@" || status=$?
  if [ "$status" -ne "$expected" ]; then
    echo "demo: exit status $status instead of $expected: $*" >&2
    exit 1
  fi
}

heading "This machine"
"$otp" info

heading "Test vectors, on every backend"
"$otp" vectors vectors

heading "A new secret, as the URI for an authenticator app"
secret_file=$(mktemp)
trap 'rm -f "$secret_file"' EXIT
"$otp" secret > "$secret_file"
"$otp" uri build --type totp --issuer Example --account alice@example.com --secret-file "$secret_file"

# One moment for all that follows, so that no interval ends in between.
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
