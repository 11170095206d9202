#!/usr/bin/env bash
# Runs every check, each with its own log in .build-logs, and closes with `N passed, M failed`.
#
#   Scripts/test.sh                  all of them
#   ONLY="unit tool" Scripts/test.sh some
#   SKIP="asan tsan" Scripts/test.sh all but some
#   Scripts/test.sh --list           their names and what each does
set -uo pipefail
cd "$(dirname "$0")/.." || exit
logs=.build-logs
mkdir -p "$logs"

# A name, what it shows, and the command. In the order of what fails soonest. (-Werror is not the last of the flags, since
# SwiftPM 6.3 takes it for one of swiftc's that wants a value, and stops where a dependency comes from outside.)
checks=(
  "lint|sources are formatted and follow the rules|Scripts/lint.sh"
  "vectors|vector files match their schema, generator and oathtool|Tests/Checks/vectors/run.sh"
  "unit|the tests of engine and layers, built with warnings as errors|swift test --scratch-path .build-strict --enable-all-traits -Xswiftc -warnings-as-errors -Xcc -Werror -Xcc -Wall -Xcc -Wextra"
  "tool|the tool's tests, built with warnings as errors|swift test --package-path Tool"
  "qr|the QR codes that the tool draws in a terminal are read by zbar|Tests/Checks/qr/run.sh"
  "run|make run does what README says|Tests/Checks/run/run.sh"
  "consumer|the product OTP brings libcrypto alone|Tests/Checks/consumer/run.sh"
  "embedded|the engine as Embedded Swift, without a runtime|Tests/Checks/embedded/run.sh"
  "readme|README's Swift and C compile and do what they say|Tests/Checks/readme/run.sh"
  "libotp|libotp from C and C++: vectors, binary interface, arguments, sanitizers, secrets, fuzzing|Tests/Checks/libotp/run.sh"
  "man|the manual pages name what there is, and make install and uninstall do what they say|Tests/Checks/man/run.sh"
  "python|libotp from Python, against pyotp, the vectors and the header|Tests/Checks/python/run.sh"
  "server|OpenSSH's server asks libotp through PAM: codes, replays, wrong codes, failures, logins at once|Tests/Checks/server/run.sh"
  "docs|the documentation builds without a warning|Scripts/docs.sh"
  "lanes|the C kernels against OpenSSL, as arm64 code, and with poisoned secrets|Tests/Checks/lanes/run.sh"
  "known-answer|a wrong lane is noticed before the first code, and OpenSSL serves|Tests/Checks/known-answer/run.sh"
  "constant-time|no branch or address depends on a secret (memcheck)|Tests/Checks/constant-time/run.sh"
  "timing|a short dudect-style test, which only reports (make soak judges)|Tests/Checks/timing/run.sh"
  "allocations|verification allocates no memory|Tests/Checks/allocations/run.sh"
  "instructions|no operation takes more instructions than recorded (callgrind)|Tests/Checks/instructions/run.sh"
  "benchmark|the benchmark measures every row, and its subjects give right answers|Tests/Checks/benchmark/run.sh"
  "wiping|no key material is left in memory|Tests/Checks/wiping/run.sh"
  "processes|the SQLite store and sign-ins on it under 8 processes at once, and under SIGKILL at random moments|Tests/Checks/processes/run.sh"
  "fuzz-replay|the fuzzers' corpus and its mutations|swift test --package-path Fuzz"
  "no-deprecated|the tests without other packages, and with an OpenSSL without deprecated functions|Tests/Checks/no-deprecated/run.sh"
  "asan|the tests under AddressSanitizer and LeakSanitizer|Tests/Checks/asan/run.sh"
  "tsan|the tests under ThreadSanitizer|swift test --disable-xctest --scratch-path .build-tsan --enable-all-traits --sanitize=thread"
)

is_in() { [[ " $2 " == *" $1 "* ]]; }

passed=0
failed=0
for check in "${checks[@]}"; do
  IFS='|' read -r name purpose command <<< "$check"
  if [ "${1:-}" = --list ]; then
    printf '%-14s %s\n' "$name" "$purpose"
    continue
  fi
  if [ -n "${ONLY:-}" ] && ! is_in "$name" "$ONLY"; then continue; fi
  if is_in "$name" "${SKIP:-}"; then continue; fi

  started=$SECONDS
  # The command is one of the words above.
  # shellcheck disable=SC2086
  if $command > "$logs/$name.log" 2>&1; then
    passed=$((passed + 1))
    printf 'ok    %-14s %4ds  %s\n' "$name" $((SECONDS - started)) \
      "$(grep -E '^[a-z-]+: |Test run with|passed, [0-9]+ failed' "$logs/$name.log" | tail -n 1)"
  else
    failed=$((failed + 1))
    printf 'FAIL  %-14s %4ds  %s; the log ends:\n' "$name" $((SECONDS - started)) "$purpose"
    tail -n 40 "$logs/$name.log" | sed 's/^/      /'
  fi
done
[ "${1:-}" = --list ] && exit 0
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
