#!/usr/bin/env bash
# Searches the model of the protocol with Spin, and ties it to the product: run.sh quick|all.
#
# `quick` searches with smaller bounds. `all` also repeats new random runs of the model on MultiFactor, and expects
# altered ones to be noticed; it builds the tests as `make check` does. The runs in traces.txt are repeated by the unit
# tests.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source-path=SCRIPTDIR source=../begin.sh
source ../begin.sh
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$root/Scripts/flavours.sh"
for program in spin gcc; do
  command -v $program > /dev/null || { echo "protocol: $program is missing (Debian: $program)" >&2; exit 1; }
done

python3 -B search.py "$tier"

# The committed runs are the model's.
committed=$(wc -l < traces.txt)
compared=$committed
[ "$tier" = all ] || compared=20
python3 -B traces.py 1 "$compared" > "$out/again"
cmp <(head -n "$compared" traces.txt) "$out/again" || {
  echo "protocol: traces.txt is not what the model does: traces.py 1 $committed > traces.txt" >&2
  exit 1
}
echo "protocol: $compared of $committed committed runs are the model's"
[ "$tier" = all ] || exit 0

building=(--package-path "$root" "${flavour_test[@]}" --enable-all-traits)
swift_build --build-tests "${building[@]}" > "$out/log" 2>&1 || { cat "$out/log" >&2; exit 1; }
replay() { PROTOCOL_TRACES=$1 swift test --skip-build "${building[@]}" --filter ProtocolTraceTests > "$out/log" 2>&1; }
python3 -B traces.py 1001 1000 > "$out/new"
replay "$out/new" || { grep -A 2 'recorded an issue' "$out/log" >&2; exit 1; }
grep '^protocol traces: ' "$out/log"
# An answer, what a host knows of a loss, what is stored, and the order of a write and an answer.
alterations=('0,/; answer \([01]\) accepted/s//; answer \1 rejected/' '0,/; answer \([01]\) waits/s//; answer \1 rejected/'
  's/; loss [01] [0-9]*//g' '0,/; state [1-9]/s//; state 0/' '0,/; write [01]/s///' 's/; replicate//g')
for alteration in "${alterations[@]}"; do
  sed "$alteration" traces.txt > "$out/altered"
  if cmp -s traces.txt "$out/altered" || replay "$out/altered"; then
    echo "protocol: an altered run was repeated without a difference: $alteration" >&2
    exit 1
  fi
  grep -h -A 1 'recorded an issue' "$out/log" | grep '↳' | head -n 1 | cut -c 1-150
done
echo "protocol: 1000 new runs of the model agree with MultiFactor; ${#alterations[@]} altered ones were noticed"
