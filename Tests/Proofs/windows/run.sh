#!/usr/bin/env bash
# Proves the arithmetic of verifications with z3, from the IR of the engine's sources: run.sh quick|all.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source-path=SCRIPTDIR source=../begin.sh
source ../begin.sh
run_with z3 z3-solver prove "$tier" "$out"
