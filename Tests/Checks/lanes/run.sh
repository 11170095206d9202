#!/usr/bin/env bash
# The C kernels by themselves: they agree with OpenSSL on every instruction set of this CPU, the plan that
# is measured is the cheapest, and they wipe their stack. A wrong lane is noticed; and each truncated value has its code.
#
#   run.sh          a million codes for each hash and set, and all of that
#   run.sh COUNT    only compares this many codes, and the plans and frames
set -euo pipefail
cd "$(dirname "$0")"
kernels=../../../Sources/Core/COTPSupport
build=../../../.build-lanes
mkdir -p "$build"

read -ra crypto_cflags <<< "$(pkg-config --cflags libcrypto)"
read -ra crypto_libs <<< "$(pkg-config --libs libcrypto)"
flags=(-std=c11 -Wall -Wextra -Werror -Wno-deprecated-declarations "${crypto_cflags[@]}" -I "$kernels/include")
mapfile -t sources < <(find "$kernels" -name '*.c' | sort)

clang "${flags[@]}" -O2 differential.c "${sources[@]}" "${crypto_libs[@]}" -o "$build/differential"
"$build/differential" "${1:-1000000}"

clang "${flags[@]}" -O1 -I "$kernels" measured.c "$kernels"/lanes/{lanes,measure}.c "$kernels"/{hashes,wipe}.c \
  "${crypto_libs[@]}" -o "$build/measured"
"$build/measured"

if [ "$(uname -m)" = x86_64 ]; then
  # No use of a register's upper half once it has been cleared: it would slow the SHA extensions' instructions down.
  clang -std=c11 -O2 -I "$kernels/include" -c "$kernels/lanes/sha_ni.c" -o "$build/sha_ni.o"
  if objdump --disassemble --no-show-raw-insn "$build/sha_ni.o" \
    | awk '/>:$/ { name = $2 } /ymm/ && name ~ /_values/ { found = 1 } END { exit !found }'; then
    echo "lanes: a kernel of the SHA extensions uses 256-bit registers" >&2
    exit 1
  fi
  ./frames.sh "$kernels" "$build"
fi
if [ $# -eq 0 ]; then
  ./known_answer.sh
  ./exhaustive.sh
fi
echo "lanes: kernels agree with OpenSSL, and wipe their stack"
