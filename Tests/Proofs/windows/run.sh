#!/usr/bin/env bash
# Proves the arithmetic of verifications with z3, and ties it to the sources: run.sh [quick|all].
set -euo pipefail
cd "$(dirname "$0")"
mode=${1:-all}
if [ "$mode" != quick ] && [ "$mode" != all ]; then
  echo "usage: run.sh [quick|all]" >&2
  exit 64
fi
# The solvers stay in a folder that git ignores.
build=$PWD/../../../.build-proofs
environment=$build/z3
"$environment/bin/python" -c 'import bitwuzla, z3' 2> /dev/null \
  || { python3 -m venv --clear "$environment" && "$environment/bin/pip" install --quiet bitwuzla z3-solver; }
rm -rf "$build/queries" && mkdir -p "$build/queries"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
./build.sh ../../../Sources "$work/answers"
"$environment/bin/python" -B prove.py "$mode" "$work/answers" "$build/queries"
