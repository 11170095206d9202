#!/usr/bin/env bash
# Every sequence of up to LENGTH actions on a record (3 by default), compared with a second statement of the rules, and
# with what is promised of every run. It runs an optimized build; the unit tests run shorter sequences.
set -euo pipefail
cd "$(dirname "$0")/../../.."
program=$(Tests/Checks/build.sh every-run-check)
"$program" "${1:-3}"
