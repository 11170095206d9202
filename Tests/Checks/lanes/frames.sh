#!/usr/bin/env bash
# Each kernel's stack is wiped to the depth that its file states: no less than what the compiler says that its functions
# take, one calling the other.
set -euo pipefail
kernels=$1
build=$2

checked=0
for name in portable avx2 avx512; do
  source=$kernels/lanes/$name.c
  clang -std=c11 -O2 -fstack-usage -I "$kernels/include" -c "$source" -o "$build/$name.o"
  while read -r kernel depth; do
    # The deepest of those that the kernel offers, on top of the block that it calls.
    needed=$(awk -v kernel="$kernel" '
      { n = split($1, parts, ":"); name = parts[n] }
      name ~ "^" kernel "_(key_values|lane_values|compress)$" && $2 > outer { outer = $2 }
      name == kernel "_called_block" { inner = $2 }
      END { print outer + inner + 64 }' "$build/$name.su")
    if [ "$needed" -le 64 ] || [ "$needed" -gt "$depth" ]; then
      echo "frames: $kernel needs $needed bytes of stack and wipes $depth" >&2
      exit 1
    fi
    checked=$((checked + 1))
  done < <(awk '/#define KERNEL/ { kernel = $3 } /#define STACK_BYTES/ { print kernel, $3 }' "$source")
done
[ "$checked" -ge 13 ]
echo "frames: $checked kernels wipe all of their stack"
