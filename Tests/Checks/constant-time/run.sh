#!/usr/bin/env bash
# Runs the engine with every secret marked undefined, under valgrind's memcheck (the ctgrind method), which reports each
# branch or address that depends on a secret. Planted leaks must be reported, and nothing in the engine.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# valgrind 3.19 cannot read the debug information that Swift's toolchain writes; symbols are enough.
strip --strip-debug -o "$work/constant-time-check" "$(../build.sh --planted constant-time-check)"
valgrind --tool=memcheck --quiet --num-callers=12 --log-file="$work/memcheck.log" "$work/constant-time-check" || {
  status=$?
  cat "$work/memcheck.log"
  exit "$status"
}
