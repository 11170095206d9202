#!/usr/bin/env bash
# Proves the arithmetic of verifications with z3, from the IR of the engine's sources: run.sh [quick|all].
set -euo pipefail
cd "$(dirname "$0")"
mode=${1:-all}
if [ "$mode" != quick ] && [ "$mode" != all ]; then
  echo "usage: run.sh [quick|all]" >&2
  exit 64
fi
# The solver stays in a folder that git ignores.
build=$PWD/../../../.build-proofs
environment=$build/z3
mkdir -p "$build"
"$environment/bin/python" -c 'import z3' 2> /dev/null \
  || { python3 -m venv --clear "$environment" && "$environment/bin/pip" install --quiet z3-solver; }
"$environment/bin/python" -B prove.py "$mode" "$build/windows"
