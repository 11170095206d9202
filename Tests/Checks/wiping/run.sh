#!/usr/bin/env bash
# Uses the engine in many ways, error paths included, and then searches all of the process's own memory, freed memory
# and stack included, for any 8 bytes of the key material. Each use runs in its own process. Planted traces must be
# found, and no others; and with wiping disabled, the search must find what is left.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")"

program=$(../build.sh wiping-check)
mapfile -t names <<< "$("$program")"
passed=0
failed=0

# Counts a result and prints it; for the many keys, only failures.
report() {
  case $1 in
    FAIL*) failed=$((failed + 1)) ;;
    ok*) passed=$((passed + 1)) ;;
  esac
  case $1 in "ok    "evp* | "ok    "midstate* | "ok    "lanes*) ;; *) echo "$1" ;; esac
}

# Runs a scenario and prints its line, even if it crashes.
run() {
  local status=0
  "$program" "$1" || status=$?
  [ "$status" -le 1 ] || echo "FAIL  ${names[$1]}: exit status $status"
}

for number in "${!names[@]}"; do report "$(run "$number")"; done

# OpenSSL's other code paths for x86-64: without the SHA extensions, and without AVX2 and AVX-512 as well. On other
# architectures the variable has no effect, and the same code runs again.
for capabilities in ':~0x20000000' ':~0x20010120'; do
  echo "with OPENSSL_ia32cap=$capabilities"
  for number in "${!names[@]}"; do
    case ${names[number]} in
      evp* | midstate*) report "$(OPENSSL_ia32cap=$capabilities run "$number")" ;;
    esac
  done
done

# expect_found FAULT NAME [KIND]: with that fault planted, a scenario whose name begins with NAME must fail, since a
# needle of that kind is found.
program=$(../build.sh --planted wiping-check)
expect_found() {
  local number
  for number in "${!names[@]}"; do
    if [[ ${names[number]} == "$2"* && $(OTP_PLANTED=$1 run "$number") == "FAIL  "*": found in "*"${3:-}"* ]]; then
      report "ok    control: $1 not wiped: ${3:-traces} found in '${names[number]}'"
      return
    fi
  done
  report "FAIL  control: $1 not wiped: ${3:-a trace} was not found in any scenario '$2...'"
}
for name in secret base32 "key URI" midstate multi-factor keyring seeds; do expect_found memory "$name"; done
for name in evp midstate; do expect_found stack "$name"; done
for operation in "TOTP window" "HOTP look-ahead" resynchronization "a batch"; do
  expect_found memory "lanes-portable SHA1, key of 20 bytes: $operation" "truncated values"
done
expect_found memory "lanes-portable SHA1, key of 20 bytes: a batch" "submitted code"

echo "wiping: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
