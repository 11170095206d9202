#!/usr/bin/env bash
# Proves the arithmetic of verifications and the rules of records with z3, from the sources' IR: run.sh quick|all.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source-path=SCRIPTDIR source=../begin.sh
source ../begin.sh
run prove "$tier" "$out"
