#!/usr/bin/env bash
# A dudect-style test of the public verifier. `run.sh` measures a little and only reports; `run.sh COUNT` judges.
set -euo pipefail
program=$("$(dirname "$0")/../build.sh" timing-check)
if [ $# -gt 0 ]; then
  "$program" "$1" judge
else
  "$program" 100000
fi
