#!/usr/bin/env bash
# The kernels of the SHA extensions, which neither valgrind nor MemorySanitizer supports, have no conditional jump and
# no address from a vector register, so they cannot leak through either. A planted branch must be found.
set -euo pipefail
kernels=$1
build=$2

# Prints an object file's functions that have a conditional jump.
jumping_functions() {
  objdump --disassemble --no-show-raw-insn "$1" \
    | awk '/^[0-9a-f]+ <.*>:$/ { name = $2 } $2 ~ /^j[a-z]+$/ && $2 != "jmp" { print name }' | sort -u
}

for level in -O1 -O2 -O3; do
  clang -std=c11 "$level" -I "$kernels/include" -c "$kernels/lanes/sha_ni.c" -o "$build/sha_ni.o"
  functions=$(objdump --syms "$build/sha_ni.o" | grep -c ' F .text.*_ni_') || true
  if [ "$functions" -lt 26 ]; then
    echo "branches: only $functions kernels were found" >&2
    exit 1
  fi
  found=$(jumping_functions "$build/sha_ni.o")
  # At -O1 the set-up's loop over four public vectors may remain a loop.
  if [ "$level" = -O1 ]; then found=$(grep -v -e absorb_key -e compress <<< "$found" || true); fi
  if [ -n "$found" ]; then
    echo "branches: $level: conditional jumps in: $found" >&2
    exit 1
  fi
  # No use of a register's upper half once it has been cleared: it would slow the extensions' instructions down.
  if objdump --disassemble --no-show-raw-insn "$build/sha_ni.o" \
    | awk '/>:$/ { name = $2 } /ymm/ && name ~ /_values/ { found = 1 } END { exit !found }'; then
    echo "branches: $level: a kernel of the SHA extensions uses 256-bit registers" >&2
    exit 1
  fi
done

cat > "$build/planted.c" <<'C'
int planted(const unsigned *tag) { int sum = 0; while (*tag) sum += (int)*tag++; return sum; }
C
clang -O2 -c "$build/planted.c" -o "$build/planted.o"
if [ -z "$(jumping_functions "$build/planted.o")" ]; then
  echo "branches: the planted branch was not found" >&2
  exit 1
fi
echo "branches: none in the kernels of the SHA extensions, with -O1, -O2 and -O3"
