#!/usr/bin/env bash
# Uses the engine in many ways, error paths included, and then searches all of the process's own memory, freed and
# stack included, for any 8 bytes of the key material. Each use is a process of its own. Traces planted on purpose must
# be found, others must not; and in builds whose wiping does nothing, the search must find what is left.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")"
root=$(cd ../../.. && pwd)

build() { swift build -c release --scratch-path "$1" "${@:2}"; }

# Runs every scenario of a build and prints a line each, also where one crashes.
run_all() {
  local program=$1/release/wiping-check count status
  count=$("$program")
  [ "$count" -gt 0 ]
  for ((number = 0; number < count; number++)); do
    status=0
    "$program" "$number" || status=$?
    [ "$status" -le 1 ] || echo "FAIL  evp or midstate or text scenario $number: exit status $status"
  done
}

# Adds the results to the counts and prints them, those of the many keys only where they failed.
report() {
  grep -vE '^ok    (evp|midstate)' <<< "$results" || true
  passed=$((passed + $(grep -c '^ok ' <<< "$results" || true)))
  failed=$((failed + $(grep -c '^FAIL ' <<< "$results" || true)))
}

passed=0
failed=0
build "$root/.build-wiping"
results=$(run_all "$root/.build-wiping")
report

# OpenSSL's other code for x86-64: without the SHA extensions, and without AVX2 and AVX-512 as well. Elsewhere the
# variable means nothing, and the same code is run again.
for capabilities in ':~0x20000000' ':~0x20010120'; do
  echo "with OPENSSL_ia32cap=$capabilities"
  results=$(OPENSSL_ia32cap=$capabilities run_all "$root/.build-wiping" | grep -E ' (evp|midstate) ')
  report
done

# expect_found BUILD NAME: in that build, a scenario whose name begins so must fail.
expect_found() {
  local found
  found=$(grep -c "^FAIL  $2" <<< "$results" || true)
  if [ "$found" -eq 0 ]; then
    echo "FAIL  control: $1: nothing was found in any scenario '$2...'"
    failed=$((failed + 1))
  else
    echo "ok    control: $1: traces found in $found scenarios '$2...'"
    passed=$((passed + 1))
  fi
}

build "$root/.build-wiping-memory" -Xcc -DOTP_LEAVE_MEMORY
results=$(run_all "$root/.build-wiping-memory")
for name in secret base32 "key URI" midstate multi-factor keyring; do expect_found "memory not wiped" "$name"; done

build "$root/.build-wiping-stack" -Xcc -DOTP_LEAVE_STACK
results=$(run_all "$root/.build-wiping-stack")
for name in evp midstate; do expect_found "stack and registers not wiped" "$name"; done

echo "wiping: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
