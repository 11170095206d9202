#!/usr/bin/env bash
# A dudect-style test of the public verifier, with COUNT measurements of each comparison: part of `make soak`, since
# fewer than 10^7 decide nothing.
set -euo pipefail
"$("$(dirname "$0")/../build.sh" timing-check)" "${1:?usage: timing.sh COUNT}"
