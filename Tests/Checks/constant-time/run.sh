#!/usr/bin/env bash
# Runs the engine with every secret marked undefined, under valgrind's memcheck (the ctgrind method): a branch or an
# address that depends on a secret is a report. Planted leaks must be reported, the engine must not.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

./divisions.sh
# valgrind 3.19 gives up on the debug information that Swift's toolchain writes; symbols are enough.
strip --strip-debug -o "$work/constant-time-check" "$(../build.sh --planted constant-time-check)"
valgrind --tool=memcheck --quiet --num-callers=12 --log-file="$work/memcheck.log" "$work/constant-time-check" || {
  status=$?
  cat "$work/memcheck.log"
  exit "$status"
}
