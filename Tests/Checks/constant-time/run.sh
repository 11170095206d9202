#!/usr/bin/env bash
# Runs the engine with every secret marked undefined, under valgrind's memcheck (the ctgrind method): a branch or an
# address that depends on a secret is a report. Planted leaks must be reported, the engine must not.
set -euo pipefail
cd "$(dirname "$0")"
build=../../../.build-constant-time

swift build -c release --scratch-path "$build" -Xcc -DOTP_CONSTANT_TIME_CHECK
# valgrind 3.19 gives up on the debug information that Swift's toolchain writes; symbols are enough.
strip --strip-debug -o "$build/constant-time-check" "$build/release/constant-time-check"
./divisions.sh
valgrind --tool=memcheck --quiet --num-callers=12 --log-file="$build/memcheck.log" "$build/constant-time-check" || {
  status=$?
  cat "$build/memcheck.log"
  exit "$status"
}
