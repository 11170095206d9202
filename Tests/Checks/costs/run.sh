#!/usr/bin/env bash
# Verification allocates no memory, counted by the check's own allocator, and the number of instructions of an operation
# does not grow: counted by callgrind, which hardly differs from run to run, as the difference between a run of 20 and
# one of 220. With the kernels for AVX2, which valgrind supports, and which do not depend on another library's version.
#
#   run.sh           compares with this toolchain's thresholds-VERSION.txt; without such a file, only reports
#   run.sh --record  writes that file
set -euo pipefail
cd "$(dirname "$0")"
program=$(../build.sh costs-check)
"$program"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# valgrind 3.19 cannot read the debug information that Swift's toolchain writes.
strip --strip-debug -o "$work/costs-check" "$program"
version=$(swift --version 2> /dev/null | grep -oE 'Swift version [0-9]+\.[0-9]+' | awk '{ print $3 }')
thresholds=thresholds-$version.txt

instructions() {
  OTP_BACKEND=lanes-avx2 valgrind --tool=callgrind --callgrind-out-file=/dev/null "$work/costs-check" "$1" "$2" 2>&1 \
    | awk '/Collected/ { print $NF }'
}

if ! grep -q avx2 /proc/cpuinfo; then
  echo "costs: this CPU has no AVX2; no instructions were compared"
  exit 0
fi
recorded=""
grown=0
for operation in $("$work/costs-check" operations); do
  few=$(instructions "$operation" 20)
  many=$(instructions "$operation" 220)
  each=$(((many - few) / 200))
  recorded+="$operation $each"$'\n'
  before=$(awk -v name="$operation" '$1 == name { print $2 }' "$thresholds" 2> /dev/null || true)
  echo "$operation: $each instructions${before:+, $before recorded}"
  # A tolerance of a twentieth, for another libc or the like.
  if [ -f "$thresholds" ] && { [ -z "$before" ] || [ $((each * 20)) -gt $((before * 21)) ]; }; then
    grown=$((grown + 1))
  fi
done
if [ "${1:-}" = --record ]; then
  printf '%s' "$recorded" > "$thresholds"
elif [ "$grown" -gt 0 ]; then
  echo "costs: $grown operations take more than a twentieth above what is recorded" >&2
  exit 1
fi
echo "costs: no allocations; $(wc -l <<< "${recorded%$'\n'}") operations compared with $thresholds"
