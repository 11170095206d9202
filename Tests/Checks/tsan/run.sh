#!/usr/bin/env bash
# Runs the tests that start tasks or threads under ThreadSanitizer: the suites whose files contain such a call or the
# stores' conformance suite, which starts some. Not the random walks, each of which is one task's.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$(dirname "$0")/../../../Scripts/flavours.sh"
cd "$root"
mapfile -t files < <(grep -rlE 'Task(Group)?\b.*\{|async let|Thread|concurrentPerform|onThreads|FactorStoreConformance' Tests/*Tests --include '*Tests.swift' | sort)
mapfile -t suites < <(grep -hoE '@Suite.*struct \w+' "${files[@]}" | awk '{ print $NF }' | sort -u | grep -v RuleModelTests)
[ "${#suites[@]}" -ge 17 ] || { echo "tsan: only ${#suites[@]} suites were found" >&2; exit 1; }
pattern=$(IFS='|'; echo "\\.(${suites[*]})/")
swift_build --build-tests "${flavour_tsan[@]}" --enable-all-traits
log=$(mktemp)
trap 'rm -f "$log"' EXIT
POSTGRESQL_OPTIONS="-c fsync=off" Scripts/postgresql.sh \
  swift test --skip-build --disable-xctest "${flavour_tsan[@]}" --enable-all-traits --filter "$pattern" 2>&1 | tee "$log"
ran=$(sed -nE 's/.*Test run with [0-9]+ tests in ([0-9]+) suites passed.*/\1/p' "$log")
if [ "${ran:-0}" -lt 17 ]; then
  echo "tsan: only ${ran:-0} of ${#suites[@]} suites were run" >&2
  exit 1
fi
echo "tsan: $ran suites"
