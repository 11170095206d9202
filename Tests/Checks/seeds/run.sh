#!/usr/bin/env bash
# Files of keys that are meant to exhaust the reader: a million rows, a gibibyte without a line ending, entities, and
# deep nesting. `otp import --check` must give the right report in little memory.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$(dirname "$0")/../../../Scripts/flavours.sh"
building=(swift_build --package-path "$root/Tool" "${flavour_release[@]}" --product otp)
log=$(mktemp)
place=$(mktemp -d)
trap 'rm -rf "$log" "$place"' EXIT
"${building[@]}" > "$log" 2>&1 || { cat "$log" >&2; exit 1; }
python3 "$(dirname "$0")/bombs.py" "$("${building[@]}" --show-bin-path)/otp" "$place"
