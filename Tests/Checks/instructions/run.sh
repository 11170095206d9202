#!/usr/bin/env bash
# The number of instructions of an operation must not grow: counted by callgrind, which gives the same number each time,
# as the difference between a run of 20 and one of 220. With the kernels for AVX2, which valgrind supports, and which do
# not depend on another library's version.
#
#   run.sh           compares with this toolchain's thresholds-VERSION.txt; without such a file, only reports
#   run.sh --record  writes that file
set -euo pipefail
cd "$(dirname "$0")"
program=$(../build.sh repeat-operation)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# valgrind 3.19 cannot read the debug information that Swift's toolchain writes.
strip --strip-debug -o "$work/repeat-operation" "$program"
version=$(swift --version 2> /dev/null | grep -oE 'Swift version [0-9]+\.[0-9]+' | awk '{ print $3 }')
thresholds=thresholds-$version.txt

instructions() {
  OTP_BACKEND=lanes-avx2 valgrind --tool=callgrind --callgrind-out-file=/dev/null "$work/repeat-operation" "$1" "$2" 2>&1 \
    | awk '/Collected/ { print $NF }'
}

if ! grep -q avx2 /proc/cpuinfo; then
  echo "instructions: this CPU has no AVX2; nothing was compared"
  exit 0
fi
recorded=""
grown=0
for operation in $("$work/repeat-operation"); do
  few=$(instructions "$operation" 20)
  many=$(instructions "$operation" 220)
  each=$(((many - few) / 200))
  recorded+="$operation $each"$'\n'
  if [ -f "$thresholds" ] && [ "${1:-}" != --record ]; then
    before=$(awk -v name="$operation" '$1 == name { print $2 }' "$thresholds")
    echo "$operation: $each instructions, $before recorded"
    # A tolerance of a twentieth, for another libc or the like.
    if [ -z "$before" ] || [ $((each * 20)) -gt $((before * 21)) ]; then
      echo "instructions: $operation takes $each, more than a twentieth above the ${before:-missing} recorded" >&2
      grown=$((grown + 1))
    fi
  else
    echo "$operation: $each instructions"
  fi
done
if [ "${1:-}" = --record ]; then printf '%s' "$recorded" > "$thresholds"; fi
[ "$grown" -eq 0 ]
echo "instructions: $(wc -l <<< "${recorded%$'\n'}") operations compared with $thresholds"
