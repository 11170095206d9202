#!/usr/bin/env bash
# A dudect-style test of the public verifier. `run.sh` measures a little and only reports; `run.sh COUNT` judges.
set -euo pipefail
cd "$(dirname "$0")"
build=../../../.build-timing
swift build -c release --scratch-path "$build"
if [ $# -gt 0 ]; then
  "$build/release/timing-check" "$1" judge
else
  "$build/release/timing-check" 100000
fi
