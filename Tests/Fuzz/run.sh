#!/bin/sh
# Builds the fuzzers with libFuzzer and Address Sanitizer, and runs each.
#
#   Tests/Fuzz/run.sh [seconds-per-target]
#
# Findings are written to Tests/Fuzz/findings/TARGET/, and inputs that reach new code to Tests/Fuzz/.corpus/TARGET/, from which
# later runs start. Exits 1 if an input breaks a rule, crashes, leaks or hangs.
set -eu

seconds=${1:-60}
cd "$(dirname "$0")"
build=.build-fuzz
work=$(mktemp -d)
log=$work/log
trap 'rm -rf "$work"' EXIT

# The log of a successful build is dropped, with the linker's warnings about Address Sanitizer's own symbols.
if ! OTP_FUZZERS=1 swift build -c release --scratch-path $build \
  -Xswiftc -sanitize=fuzzer,address -Xcc -fsanitize=fuzzer-no-link,address >"$log" 2>&1; then
  cat "$log"
  exit 1
fi

# libotp's C API: Embedded Swift and C, also built with Undefined Behavior Sanitizer.
LibOTP/build.sh "Tests/Fuzz/$build/libotp"

targets="base32 uri submitted-code vector-file configuration token seeds libotp"
failed=
for target in $targets; do
  mkdir -p ".corpus/$target" "findings/$target"
  ./expand.py "$target" "$work/$target"
  program=$build/release/fuzz-targets
  [ "$target" != libotp ] || program=$build/libotp/fuzz-libotp
  if ! OTP_FUZZ_TARGET=$target "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="findings/$target/" ".corpus/$target" "$work/$target" >"$log" 2>&1; then
    failed="$failed $target"
    tail -n 60 "$log"
  fi
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
  echo "$target: ${runs:-0} executions"
done

if [ -n "$failed" ]; then
  echo "fuzz: failed:$failed (inputs in Tests/Fuzz/findings)"
  exit 1
fi
echo "fuzz: $(echo "$targets" | wc -w) targets passed, $seconds seconds each"
