#!/usr/bin/env bash
# A lane that is wrong by one bit, in any kernel, must be noticed before the first code: its backend fails. If that
# backend would be the one in use, the process falls back on OpenSSL. Codes are right in any case.
set -euo pipefail
program=$("$(dirname "$0")/../build.sh" --planted known-answer-check)

# expect LINE...: each must be in the output.
expect() {
  local line
  for line in "$@"; do
    if ! grep -x "$line" <<< "$output" > /dev/null; then
      echo "known-answer: $planted: '$line' is missing from: $output" >&2
      exit 1
    fi
  done
}

planted=nothing output=$("$program")
expect lanes=passed serves=lanes 287082
# Every lane of every width that any set's kernel may have. (It is wrong in all kernels of that width.)
noticed=0
fell_back=0
for width in 1 2 3 4 8 16 32; do
  for ((lane = 0; lane < width; lane++)); do
    planted=lane:$width:$lane
    output=$(OTP_PLANTED=$planted "$program")
    failed=$(grep -x 'lanes.*=failed' <<< "$output" || true)
    if [ "$lane" -eq 0 ]; then
      first=$failed
    elif [ "$failed" != "$first" ]; then
      echo "known-answer: $planted fails '$failed', lane 0 '$first'" >&2
      exit 1
    fi
    # On a CPU without a kernel of that width nothing is wrong.
    [ -n "$failed" ] || continue
    noticed=$((noticed + 1))
    if grep -x lanes=failed <<< "$output" > /dev/null; then
      # libcrypto's transforms are a kernel of one lane.
      if [ "$width" -eq 1 ]; then expect midstate=failed serves=evp 287082; else expect serves=midstate 287082; fi
      fell_back=$((fell_back + 1))
    else
      expect serves=lanes 287082
    fi
  done
done
# The portable kernels have 2 and 4 lanes, and at least one set is used.
if [ "$noticed" -lt 6 ] || [ "$fell_back" -eq 0 ]; then
  echo "known-answer: only $noticed wrong lanes were noticed, $fell_back of them in the set in use" >&2
  exit 1
fi
echo "known-answer: $noticed wrong lanes were noticed; for $fell_back of them OpenSSL was used instead of the lanes"
