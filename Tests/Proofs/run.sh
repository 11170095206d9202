#!/usr/bin/env bash
# All proofs, one folder each, in their short or their whole form: run.sh [quick|all]. docs/proofs.md explains them.
set -euo pipefail
cd "$(dirname "$0")"
mode=${1:-all}
proofs=(kernels theorem machine windows protocol)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

failed=0
for proof in "${proofs[@]}"; do
  started=$SECONDS
  if "./$proof/run.sh" "$mode" > "$work/log" 2>&1; then
    printf '%s, %d s: %s\n' "$proof" $((SECONDS - started)) "$(tail -n 1 "$work/log")"
  else
    failed=$((failed + 1))
    printf '%s FAILED after %d s:\n' "$proof" $((SECONDS - started))
    cat "$work/log"
  fi
done
echo "prove: $((${#proofs[@]} - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
