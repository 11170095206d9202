#!/usr/bin/env bash
# Follows secrets through the LLVM IR of COTPSupport's C but the kernels': no branch, address or division depends on one.
#
#   run.sh quick    x86-64 with libotp's own flags, and the planted leaks
#   run.sh all      x86-64 and arm64 at -O2, -O3 and -Os
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source-path=SCRIPTDIR source=../begin.sh
source ../begin.sh
x86_only
levels=(-O2)
headers=-
if [ "$tier" = all ]; then
  levels=(-O2 -O3 -Os)
  headers=$("$root/Scripts/foreign.sh" arm64 libssl-dev libssl3)
fi
for level in "${levels[@]}"; do
  run ../artifacts "$level" "$headers" "$out/ir$level" headers.c
  for folder in "$out/ir$level"/*; do
    printf '%s %s: ' "$(basename "$folder")" "$level"
    run taint "$folder"/*.ll | tee -a "$out/taint.log"
  done
done
run faults "$out" | tee "$out/faults.log"
functions=$(sed -n 's/^taint: \([0-9]*\) functions.*/\1/p' "$out/taint.log" | sort -n | tail -n 1)
builds=$(wc -l < "$out/taint.log")
found=$(sed -n 's/^faults: \([0-9]*\) of .*/\1/p' "$out/faults.log")
echo "taint: nothing depends on secrets in up to $functions functions of $builds builds; $found planted leaks found"
