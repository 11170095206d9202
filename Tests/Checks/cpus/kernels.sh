#!/usr/bin/env bash
# The kernels by themselves, as arm64 code: they agree with OpenSSL under qemu, and wipe all of their stack. (That they
# have no branch on a secret is among what make prove shows.)
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
echo "kernels: arm64's agree with OpenSSL, and wipe all of their stack"
