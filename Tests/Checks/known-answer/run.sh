#!/usr/bin/env bash
# A lane that is wrong by one bit must be noticed before the first code, whichever lane of whichever kernel: the process
# then falls back on OpenSSL, says so, and gives right codes.
set -euo pipefail
cd "$(dirname "$0")"
build=../../../.build-known-answer
mkdir -p "$build"

# Prints what a build with these definitions prints.
run() {
  swift build -c release --scratch-path "$build" "$@" > "$build/build.log" 2>&1 || { cat "$build/build.log" >&2; return 1; }
  "$build/release/known-answer-check"
}

if ! grep -x 'serves=lanes' <<< "$(run)" > /dev/null; then
  echo "known-answer: without a wrong lane, lanes must serve" >&2
  exit 1
fi
# The width of every kernel that the combination for this CPU may have: a first lane, a last, and one between.
found=0
for place in 1:0 4:3 8:0 8:7 16:9 32:0 32:31; do
  output=$(run -Xcc "-DOTP_WRONG_WIDTH=${place%:*}" -Xcc "-DOTP_WRONG_LANE=${place#*:}")
  # A CPU without a kernel of that width has nothing wrong.
  if grep -x 'lanes=passed' <<< "$output" > /dev/null; then continue; fi
  for line in 'lanes=failed' 'serves=midstate' '287082'; do
    if ! grep -x "$line" <<< "$output" > /dev/null; then
      echo "known-answer: with lane ${place#*:} of ${place%:*} wrong, '$line' is missing from: $output" >&2
      exit 1
    fi
  done
  found=$((found + 1))
done
if [ "$found" -lt 2 ]; then
  echo "known-answer: only $found wrong lanes were noticed" >&2
  exit 1
fi
echo "known-answer: $found wrong lanes were noticed, and OpenSSL served in their place"
