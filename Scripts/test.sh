#!/usr/bin/env bash
# Runs the checks of a tier, two at a time, each with its own log in .build-logs, and ends with `N passed, M failed`.
# The seconds that each took are in .build-logs/times.txt.
#
#   Scripts/test.sh test             what `make test` runs
#   Scripts/test.sh check            runs that first, and then the rest of what `make check` runs
#   ONLY="unit tool" Scripts/test.sh check     runs only these
#   SKIP="asan tsan" Scripts/test.sh check     runs all except these
#   Scripts/test.sh --list           prints names, tiers and purposes
#
# JOBS=1 runs one at a time. Only one run at a time can use a folder, since its checks share builds and logs.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
logs=$PWD/.build-logs
mkdir -p "$logs"

# Tier, name, purpose and command of each check: the longest first, so that both cores are busy to the end.
checks=(
  "test|unit|the tests of engine and layers with all traits, built with warnings as errors|Scripts/unit.sh"
  "test|lint|sources are formatted and follow the rules|Scripts/lint.sh"
  "test|vectors|vector files match their schema, generator and oathtool|Tests/Checks/vectors/run.sh"
  "test|tool|the tool's tests, and that otp.1 has its options|Scripts/unit.sh tool"
  "test|libotp|libotp from C and C++: vectors, binary interface, manual page, arguments|Tests/Checks/libotp/run.sh"
  "test|readme|README's Swift and C compile and print what they say; the product OTP brings libcrypto only|Tests/Checks/readme/run.sh programs"
  "test|scripts|this script counts right, PostgreSQL's signals only running servers, the set-up starts no service, the git hooks refuse faults|Tests/Checks/scripts/run.sh"

  "check|asan|the tests under AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer|Tests/Checks/asan/run.sh"
  "check|benchmark|the benchmark measures every row, and its subjects give right answers|Tests/Checks/benchmark/run.sh"
  "check|tsan|the tests that start tasks or threads, under ThreadSanitizer|Tests/Checks/tsan/run.sh"
  "check|walks|every run of four actions on a record, and a million random actions on accounts, compared with a second statement of the rules|Scripts/unit.sh walks"
  "check|run|make run does what README says|Tests/Checks/run/run.sh"
  "check|emulator|auth-emulator as the JS, iOS and Admin SDKs call it; every error; 10^4 requests with a value changed|Tests/Checks/emulator/run.sh"
  "check|arm64|libotp for arm64, under qemu, on CPUs with and without the SHA extensions|Tests/Checks/arm64/run.sh"
  "check|wiping|no key material is left in memory|Tests/Checks/wiping/run.sh"
  "check|stores|sign-ins on SQLite and PostgreSQL by 8 processes at once, under SIGKILL of hosts and servers, and while Patroni moves the primary; all flows on PostgreSQL|Tests/Checks/stores/run.sh"
  "check|prove|kernels, windows and the protocol for all inputs, and time in machine code: the short form of make prove|Tests/Proofs/run.sh quick"
  "check|allocations|verification allocates no memory|Tests/Checks/allocations/run.sh"
  "check|instructions|no operation takes more instructions than recorded (callgrind)|Tests/Checks/instructions/run.sh"
  "check|constant-time|no branch or address depends on a secret (memcheck)|Tests/Checks/constant-time/run.sh"
  "check|known-answer|a wrong lane is noticed before the first code, and OpenSSL is used|Tests/Checks/known-answer/run.sh"
  "check|no-deprecated|the tests without other packages, and with an OpenSSL without deprecated functions|Tests/Checks/no-deprecated/run.sh"
  "check|articles|the articles' Swift compiles, with traits and without; a program runs|Tests/Checks/readme/run.sh articles"
  "check|own-table|records in one column, by programs in Swift, C, Go, Python and Rust, under many requests, SIGKILL and wrong clocks|Tests/Checks/own-table/run.sh"
  "check|fuzz-replay|the fuzzers' corpus and its mutations|Scripts/unit.sh fuzz"
  "check|cpus|x86-64 CPUs with SSE2 only, AVX2 without SHA, AVX-512 without SHA: the set in use, vectors|Tests/Checks/cpus/run.sh"
  "check|libotp-watched|libotp under sanitizers, memcheck and a fuzzer|Tests/Checks/libotp/watched.sh"
  "check|lanes|the C kernels against OpenSSL, and with models of the SHA extensions|Tests/Checks/lanes/run.sh"
  "check|exhaustive|every truncated value has the right code, by reduction and by comparison|Tests/Checks/exhaustive/run.sh"
  "check|docs|the documentation builds as one site, without a warning|Scripts/docs.sh"
  "check|interface|the public Swift interface is the recorded one, and the compiler names a trait that is off|Tests/Checks/interface/run.sh"
  "check|server|OpenSSH's server uses libotp through PAM: codes, replays, wrong codes, failures, simultaneous logins|Tests/Checks/server/run.sh"
  "check|login|login-example in Chromium and without JavaScript: the life of a second factor, locks, forged forms, axe-core; the suite for running logins: ours fail nothing, and four broken ones are refused|Tests/Checks/login/run.sh"
  "check|python|the Python wheel, built twice and installed, against pyotp, the vectors and the header|Tests/Checks/python/run.sh"
  "check|rust|the Rust crate over libotp: vectors, the header, wiping, the documentation's examples|Tests/Checks/rust/run.sh"
  "check|conformance|the runner for other implementations: libotp passes every vector, and wrong answers are noticed|Tests/Checks/conformance/run.sh"
  "check|seeds|key files meant to exhaust the reader: its answers, and its memory|Tests/Checks/seeds/run.sh"
  "check|man|the examples of the manual pages run; make install and uninstall work, under a private prefix too; Go|Tests/Checks/man/run.sh"
  "check|qr|zbar reads the QR codes that the tool draws in a terminal|Tests/Checks/qr/run.sh"
  "check|repeatable|two builds of libotp, in other folders and by other users, are the same bytes|Tests/Checks/repeatable/run.sh"
  "check|embedded|the engine as Embedded Swift, without a runtime|Tests/Checks/embedded/run.sh"
)

is_in() { [[ " $2 " == *" $1 "* ]]; }
is_wanted() { { [ -z "${ONLY:-}" ] || is_in "$1" "$ONLY"; } && ! is_in "$1" "${SKIP:-}"; }

# Runs one check, prints its line, records its time, and fails if the check does.
run() {
  local name=$1 purpose=$2 command=$3 started=$SECONDS status=0 seconds
  # The command is a list of words from the table above.
  # shellcheck disable=SC2086
  $command > "$logs/$name.log" 2>&1 || status=$?
  seconds=$((SECONDS - started))
  printf '%5d %s\n' "$seconds" "$name" >> "$logs/times.txt"
  if [ "$status" -eq 0 ]; then
    printf 'ok    %-14s %4ds  %s\n' "$name" "$seconds" \
      "$(grep -E '^[a-z-]+: |Test run with|passed, [0-9]+ failed' "$logs/$name.log" | tail -n 1)"
  else
    # At once, since the other check can end meanwhile.
    printf 'FAIL  %-14s %4ds  %s\n%s\n' "$name" "$seconds" "$purpose" "$(explain "$logs/$name.log")"
    return 1
  fi
}

# Prints why a check failed: the first issue of each failed test, each other error once, and how the log ends.
explain() {
  local shown lines=12
  if grep -aq "missing required module 'SwiftShims'" "$1"; then
    echo "      a build folder was copied from another path: run make clean"
  fi
  # As bytes, since a log can have any.
  shown=$(LC_ALL=C awk '
    # Swift Testing: a name can contain anything. The lines after an issue belong to it.
    /(◇|✔|━|✘) (Test|Suite)/ {
      more = 0
      name = $0
      if (sub(/ recorded an issue.*/, "", name) && /✘/ && !shown[name]++) { print; more = 6 }
      next
    }
    # Python: the innermost place of a traceback, and the exception.
    /^Traceback/ { place = "?"; more = 0; next }
    place && /^  File / { place = substr($0, 3) }
    place && /^[^ ]/ { $0 = place ": " $0; place = ""; if (!shown[$0]++) print; next }
    place { next }
    # Compilers, traps, sanitizers, assertions, Rust, Go, and our own scripts.
    /(^|[0-9a-z]: )([a-z]+ )?error: |Fatal error: |unexpected signal|(ERROR|WARNING): [A-Z]|Assertion .* failed/ ||
      /panicked at|^(--- )?(FAIL|ERROR)[^E]/ { more = shown[$0]++ ? 0 : 3; if (more) print; next }
    more-- > 0 && !/^[-=]*$/
  ' "$1" | head -n 40 | cut -c 1-600)
  # They can be errors that were expected, before the one that matters.
  [ -z "$shown" ] || lines=1
  {
    printf '%s\n' ${shown:+"$shown"} "${1#"$PWD/"} ends:"
    tail -n 12 "$1" | cut -c 1-600 | grep -avE '^(◇|✔|━|✘|↳)' | grep -avxFf <(echo "$shown") | tail -n "$lines"
  } | sed 's/^/      /'
}

# Waits until fewer checks than this are running, and counts those that end.
await_fewer() {
  local process
  while [ ${#running[@]} -ge "$1" ]; do
    if wait -n -p process "${!running[@]}"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
    # Otherwise bash has lost its children.
    [ -n "${process:-}" ] || exit 70
    unset "running[$process]"
  done
}

# Runs the checks of one tier.
run_tier() {
  local check tier name purpose command
  for check in "${checks[@]}"; do
    IFS='|' read -r tier name purpose command <<< "$check"
    if [ "$tier" != "$1" ] || ! is_wanted "$name"; then continue; fi
    await_fewer "${JOBS:-2}"
    echo "start $name"
    # What a check leaves running must not hold the lock.
    run "$name" "$purpose" "$command" < /dev/null {lock}>&- &
    running[$!]=$name
  done
  await_fewer 1
}

case ${1:-} in
  test) tiers=(test) ;;
  check) tiers=(test check) ;;
  --list)
    for check in "${checks[@]}"; do
      IFS='|' read -r tier name purpose command <<< "$check"
      printf '%-6s %-14s %s\n' "$tier" "$name" "$purpose"
    done
    exit 0
    ;;
  *) echo "usage: $0 test|check|--list" >&2; exit 64 ;;
esac

exec {lock}> "$logs/lock"
if ! flock --nonblock "$lock"; then
  echo "test.sh: another run is using this folder; wait for it, or end it" >&2
  exit 75
fi

# Prints which checks were still running, with the ends of their logs: otherwise a hanging check prints nothing.
report_running() {
  local name
  for name in "${running[@]}"; do
    printf 'ended %-14s       still running; the log ends:\n%s\n' "$name" "$(tail -n 20 "$logs/$name.log" | sed 's/^/      /')"
  done
}

# The checks that are running, by process.
declare -A running=()
passed=0
failed=0
: > "$logs/times.txt"
# Ctrl-C and a time limit also end the checks.
trap 'trap - INT TERM; report_running; kill 0' INT TERM
for tier in "${tiers[@]}"; do
  run_tier "$tier"
  echo "tier $tier: done after $((SECONDS / 60)) min $((SECONDS % 60)) s"
done
echo "$passed passed, $failed failed"
[ "$passed" -gt 0 ] && [ "$failed" -eq 0 ]
