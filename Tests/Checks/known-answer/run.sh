#!/usr/bin/env bash
# A lane that is wrong by one bit must be noticed before the first code, whichever lane of whichever kernel: the process
# then falls back on OpenSSL, says so, and gives right codes.
set -euo pipefail
program=$("$(dirname "$0")/../build.sh" --planted known-answer-check)

if ! grep -x 'serves=lanes' <<< "$("$program")" > /dev/null; then
  echo "known-answer: without a wrong lane, lanes must serve" >&2
  exit 1
fi
# Every lane of every width that a kernel of the combination for this CPU may have.
found=0
for width in 1 2 4 8 16 32; do
  for ((lane = 0; lane < width; lane++)); do
    output=$(OTP_PLANTED=lane:$width:$lane "$program")
    # A CPU without a kernel of that width has nothing wrong.
    if grep -x 'lanes=passed' <<< "$output" > /dev/null; then continue; fi
    for line in 'lanes=failed' 'serves=midstate' '287082'; do
      if ! grep -x "$line" <<< "$output" > /dev/null; then
        echo "known-answer: with lane $lane of $width wrong, '$line' is missing from: $output" >&2
        exit 1
      fi
    done
    found=$((found + 1))
  done
done
# The widest set of this CPU has at least one whole kernel.
if [ "$found" -lt 4 ]; then
  echo "known-answer: only $found wrong lanes were noticed" >&2
  exit 1
fi
echo "known-answer: $found wrong lanes were noticed, and OpenSSL served in their place"
