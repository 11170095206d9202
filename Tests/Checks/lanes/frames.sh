#!/usr/bin/env bash
# Each kernel's stack is wiped to the depth that its file states: at least what its functions use together according to
# the compiler, and not much more.
set -euo pipefail
kernels=$1
build=$2

# The red zone (System V ABI, 3.2.2) and a return address.
beyond=136

# The sizes of a source's frames: per line, a function and its bytes.
frames() {
  clang -std=c11 -O2 -fstack-usage -Wno-deprecated-declarations -I "$kernels/include" -c "$kernels/lanes/$1.c" \
    -o "$build/$1.o"
  awk '{ n = split($1, parts, ":"); print parts[n], $2 }' "$build/$1.su"
}

# Between the wiping function and a kernel: what is not inlined in lanes.c.
between=$(frames lanes | awk '
  /^(key_values|lane_values|compress) / && $2 + 8 > most { most = $2 + 8 }
  END { print most + 0 }')

# The depths that a source states: per line, a kernel's name, as in its functions, and its bytes.
depths() {
  awk '/#define KERNEL / { kernel = $3 } /#define STACK_BYTES/ { print kernel, $3 }
       /^KERNEL\(/ { split($0, words, /[(), ]+/); print words[2], words[5] }' "$kernels/lanes/$1.c"
}

checked=0
for name in portable avx2 avx512 sha_ni; do
  frames "$name" > "$build/frames"
  while read -r kernel depth; do
    # The deepest of the kernel's entry points, plus the block function that it calls.
    needed=$(awk -v kernel="$kernel" -v more=$((between + beyond)) '
      $1 ~ "^" kernel "_(key_values|lane_values|compress|absorb_key)$" { found++; if ($2 > outer) outer = $2 }
      $1 == kernel "_called_block" { inner = $2 + 8 }
      END { print found < 3 ? "nothing" : outer + inner + more }' "$build/frames")
    if [ "$needed" = nothing ] || [ "$needed" -gt "$depth" ] || [ $((needed + 256)) -lt "$depth" ]; then
      echo "frames: $kernel needs $needed bytes of stack and wipes $depth" >&2
      exit 1
    fi
    checked=$((checked + 1))
  done < <(depths "$name")
done
[ "$checked" -ge 25 ]
echo "frames: $checked kernels wipe all of their stack"
