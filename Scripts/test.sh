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
# JOBS=1 runs one at a time. MINUTES=60 begins no check after that time, and counts the others as skipped. Only one run
# at a time can use a folder, since its checks share builds and logs.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
# shellcheck source-path=SCRIPTDIR source=toolchain.sh
source Scripts/toolchain.sh
logs=$PWD/.build-logs
export PIP_RETRIES=10 PIP_TIMEOUT=60
mkdir -p "$logs"

# Tier, name, purpose and command of each check: the longest first, so that both cores are busy to the end.
# What changes the sources runs by itself, last.
checks=(
  "test|unit|the tests of engine and layers with all traits|Scripts/unit.sh"
  "test|lint|sources are formatted and follow the rules|Scripts/lint.sh"
  "test|vectors|vector files match their schema, generator and oathtool; libotp and the generator read each other's records|Tests/Checks/vectors/run.sh"
  "test|tool|the tool's tests|Scripts/unit.sh tool"
  "test|libotp|libotp from C and C++: vectors, binary interface, arguments|Tests/Checks/libotp/run.sh"
  "test|readme|README's Swift compiles and prints what it says; the product OTP brings libcrypto only|Tests/Checks/readme/run.sh programs"

  "check|stores|sign-ins on SQLite and PostgreSQL by two processes, under SIGKILL of hosts and servers, and while Patroni moves the primary, with a judge of their histories; all flows on PostgreSQL|Tests/Checks/stores/run.sh"
  "check|asan|the tests, built with warnings as errors, and the fuzzers' corpus with its mutations, under AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer|Tests/Checks/asan/run.sh"
  "check|servers|login-example in Chromium and without JavaScript, and api-example: the life of a second factor, forged forms, axe-core; auth-emulator as the JS, iOS and Admin SDKs call it; every error; 10^4 requests with a value changed|Tests/Checks/servers/run.sh"
  "check|benchmark|the benchmark measures every row, and its subjects give right answers|Tests/Checks/benchmark/run.sh"
  "check|tsan|the tests that start tasks or threads, under ThreadSanitizer|Tests/Checks/tsan/run.sh"
  "check|walks|every run of three actions on a record, and 120,000 random actions on accounts, others on each day, compared with a second statement of the rules|Scripts/unit.sh walks"
  "check|first-run|make run does what README says; zbar reads the tool's QR codes; key files meant to exhaust its reader; users of five systems move in|Tests/Checks/first-run/run.sh"
  "check|cpus|libotp under qemu: on arm64 with and without the SHA extensions; on x86-64 with SSE2 only, AVX2 without SHA, AVX-512 without SHA|Tests/Checks/cpus/run.sh"
  "check|wiping|no key material is left in memory|Tests/Checks/wiping/run.sh"
  "check|prove|kernels, windows and the protocol for all inputs, and time in machine code: the short form of make prove|Tests/Proofs/run.sh quick"
  "check|costs|verification allocates no memory, and no operation takes more instructions than recorded (callgrind)|Tests/Checks/costs/run.sh"
  "check|constant-time|no branch or address depends on a secret (memcheck)|Tests/Checks/constant-time/run.sh"
  "check|bare|without a Swift runtime, or the functions that OpenSSL deprecates|Tests/Checks/bare/run.sh"
  "check|doors|the suite for running logins, on own-table in six languages, on SQLite, PostgreSQL and etcd, otp record serve, PAM, login-example, api-example and auth-emulator; a judge of their histories; broken ones are refused|Tests/Checks/doors/run.sh"
  "check|record-service|otp record serve: the vectors, its process and socket; the package for Node, and the classes for Java and PHP|Tests/Checks/record-service/run.sh"
  "check|postgresql-extension|records inside PostgreSQL, by psql; the suite for logins by drivers of five languages: no answer before the commit, each answer with its event, over SIGKILL, a failover, a backup and a dump; hostile calls; twelve broken builds|Tests/Checks/postgresql-extension/run.sh"
  "check|libotp-watched|libotp under sanitizers and a fuzzer|Tests/Checks/libotp/watched.sh"
  "check|lanes|the C kernels against OpenSSL; a wrong lane is noticed before the first code; every truncated value has its code|Tests/Checks/lanes/run.sh"
  "check|interface|the public Swift interface is the recorded one, documented in one site without a warning; the articles compile; the compiler names a trait that is off|Tests/Checks/interface/run.sh"
  "check|openssh|OpenSSH's server uses libotp through PAM: codes, replays, wrong codes, failures, users changed during logins|Tests/Checks/openssh/run.sh"
  "check|bindings|libotp as others get it: the manual pages' examples run; make install and uninstall work, under a private prefix too; two builds are the same bytes; Go, Python (the wheel, built twice and installed), Rust, PHP, Ruby and .NET; the runner of vectors, with which C, Python and Rust pass every one, and wrong answers are noticed|Tests/Checks/bindings/run.sh"

  "last|faults|all planted faults of the library compile, and ten, others on each day, are noticed|Tests/faults/run.py --sample 10"
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

# Prints why a check failed: each error once (of Swift Testing, compilers, traps, sanitizers, Python, Rust, Go and our own
# scripts), and how the log ends.
explain() {
  {
    LC_ALL=C grep -aE "✘ .* recorded an issue|(^|[0-9a-z]: )([a-z]+ )?error: |Fatal error: |unexpected signal|panicked at|\
(ERROR|WARNING): [A-Z]|Assertion .* failed|^(--- )?(FAIL|ERROR)[^E]|^[A-Za-z.]*Error: " "$1" | awk '!shown[$0]++' | head -n 20
    echo "${1#"$PWD/"} ends:"
    tail -n 8 "$1"
  } | cut -c 1-600 | sed 's/^/      /'
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
    if [ -n "${MINUTES:-}" ] && [ "$SECONDS" -ge $((MINUTES * 60)) ]; then
      echo "SKIP  $name: $MINUTES minutes are over"
      skipped=$((skipped + 1))
      continue
    fi
    echo "start $name"
    # What a check leaves running must not hold the lock.
    run "$name" "$purpose" "$command" < /dev/null {lock}>&- &
    running[$!]=$name
  done
  await_fewer 1
}

for name in ${ONLY:-} ${SKIP:-}; do
  if [[ "${checks[*]}" != *"|$name|"* ]]; then
    echo "test.sh: no check is called $name" >&2
    exit 64
  fi
done
case ${1:-} in
  test) tiers=(test) ;;
  check) tiers=(test check last) ;;
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
skipped=0
: > "$logs/times.txt"
# Ctrl-C and a time limit also end the checks.
trap 'trap - INT TERM; report_running; kill 0' INT TERM
for tier in "${tiers[@]}"; do
  run_tier "$tier"
  echo "tier $tier: done after $((SECONDS / 60)) min $((SECONDS % 60)) s"
done
if [ "$skipped" -gt 0 ]; then echo "$passed passed, $failed failed, $skipped skipped"; else echo "$passed passed, $failed failed"; fi
[ "$passed" -gt 0 ] && [ "$failed" -eq 0 ]
