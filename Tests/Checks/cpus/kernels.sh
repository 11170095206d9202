#!/usr/bin/env bash
# The kernels by themselves, as arm64 code: they agree with OpenSSL under qemu, have no branch and no address with an
# index register, and wipe all of their stack.
#
#   kernels.sh EMULATOR CFLAGS LIBRARIES    a command; flags for the headers' folders; libcrypto's folder
set -euo pipefail
cd "$(dirname "$0")"
root=../../..
kernels=$root/Sources/Core/COTPSupport
target=aarch64-linux-gnu
read -ra emulator <<< "$1"
libraries=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
read -ra headers <<< "$2"
compiler=(clang "--target=$target" -nostdlibinc "${headers[@]}" -std=c11 -Wall -Wextra -Werror
  -Wno-deprecated-declarations -I "$kernels/include")

fail() {
  echo "kernels: $*" >&2
  exit 1
}

# ---- Against OpenSSL. ------------------------------------------------------------------------------------------------

mapfile -t sources < <(find "$kernels" -name '*.c' | sort)
objects=()
for source in ../lanes/differential.c "${sources[@]}"; do
  object=$work/$(basename "$source" .c).o
  "${compiler[@]}" -O2 -c "$source" -o "$object"
  objects+=("$object")
done
"$target-gcc" "${objects[@]}" "-L$libraries" -lcrypto -pthread -o "$work/differential"
"${emulator[@]}" "$work/differential" 20000

# ---- Their instructions. ---------------------------------------------------------------------------------------------

# Prints the number of conditional jumps in each function.
branches() {
  "$target-objdump" --disassemble --no-show-raw-insn "$1" \
    | awk '/^[0-9a-f]+ <.*>:$/ { name = $2 } $2 ~ /^(b\.|cbn?z|tbn?z)/ { count[name]++ }
      END { for (name in count) print name, count[name] }'
}
# Prints the instructions that address memory with two registers.
indices() { "$target-objdump" --disassemble --no-show-raw-insn "$1" | grep -E '\[x[0-9]+, [xw][0-9]+' || true; }

found=$(branches "$work/arm_sha.o")
[ -z "$found" ] || fail "conditional jumps in: $found"
# The loop over the rounds, one per block.
found=$(branches "$work/arm_sha512.o" | awk '$2 > 2')
[ -z "$found" ] || fail "more conditional jumps than the rounds' loop in: $found"
for name in arm_sha arm_sha512; do
  found=$(indices "$work/$name.o")
  [ -z "$found" ] || fail "$name reads or writes at an index: $found"
  functions=$("$target-nm" "$work/$name.o" |
    grep -cE ' t sha(1|256|512)_x[12]_(key_values|lane_values|compress)$') || true
  expected=12
  if [ $name = arm_sha512 ]; then expected=6; fi
  [ "$functions" -eq "$expected" ] || fail "$functions functions of $name were checked instead of $expected"
done
cat > "$work/planted.c" << 'C'
int branch(const unsigned *tag) { int sum = 0; while (*tag) sum += (int)*tag++; return sum; }
int look_up(const int *table, const unsigned *tag) { return table[*tag]; }
C
"${compiler[@]}" -O2 -c "$work/planted.c" -o "$work/planted.o"
[ -n "$(branches "$work/planted.o")" ] || fail "the planted branch was not found"
[ -n "$(indices "$work/planted.o")" ] || fail "the planted index was not found"

# ---- Their stack. ----------------------------------------------------------------------------------------------------

depth=$(awk '/#define STACK_BYTES/ { print $3 }' "$kernels/lanes/arm_sha.h")
checked=0
for name in arm_sha arm_sha512; do
  "${compiler[@]}" -O2 -fstack-usage -c "$kernels/lanes/$name.c" -o "$work/$name.o"
  while read -r function bytes _; do
    [ $((bytes + 64)) -le "$depth" ] || fail "$function needs $bytes bytes of stack, but only $depth are wiped"
    checked=$((checked + 1))
  done < "$work/$name.su"
done
[ "$checked" -eq 21 ] || fail "$checked frames were checked instead of 21"
echo "kernels: arm64's agree with OpenSSL, have neither branches nor indices, and wipe all of their stack"
