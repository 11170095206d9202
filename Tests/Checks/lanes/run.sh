#!/usr/bin/env bash
# The C kernels by themselves: they agree with OpenSSL on every instruction set of this CPU and with models of the SHA
# extensions' instructions; they truncate right; the right ones are chosen for each number of codes; and they wipe their
# stack. `run.sh COUNT` compares COUNT codes for each hash and set instead of a million.
set -euo pipefail
cd "$(dirname "$0")"
kernels=../../../Sources/COTPSupport
build=../../../.build-lanes
mkdir -p "$build"
count=${1:-1000000}

read -ra crypto_cflags <<< "$(pkg-config --cflags libcrypto)"
read -ra crypto_libs <<< "$(pkg-config --libs libcrypto)"
flags=(-std=c11 -Wall -Wextra -Werror -Wno-deprecated-declarations "${crypto_cflags[@]}" -I "$kernels/include")
mapfile -t sources < <(find "$kernels" -name '*.c' | sort)

clang "${flags[@]}" -O2 differential.c "${sources[@]}" "${crypto_libs[@]}" -o "$build/differential"
"$build/differential" "$count"
clang "${flags[@]}" -O2 costs.c "${sources[@]}" "${crypto_libs[@]}" -o "$build/costs"
"$build/costs" || "$build/costs"

if [ "$(uname -m)" = x86_64 ]; then
  # The kernels of the SHA extensions with models of the instructions, on any CPU; above, with the instructions.
  by_models=(-DSHA_BY_MODELS -D_POSIX_C_SOURCE=199309L -include sha_models.h -I "$kernels" sha_models.c "$kernels"/{hashes,wipe}.c
    "$kernels"/lanes/*.c)
  clang "${flags[@]}" -O2 "${by_models[@]}" differential.c "${crypto_libs[@]}" -o "$build/differential-by-models"
  "$build/differential-by-models" $((count / 4))
  clang "${flags[@]}" -O2 -I "$kernels" sha_models.c "$kernels/cpu.c" -o "$build/models"
  "$build/models"

  clang "${flags[@]}" -O2 -I "$kernels" truncation.c "$kernels/cpu.c" -o "$build/truncation"
  "$build/truncation"

  clang "${flags[@]}" -O1 -I "$kernels" -DOTP_LANES_CLOCK choices.c "$kernels"/lanes/{lanes,plans,measure}.c "$kernels"/{hashes,wipe}.c \
    "${crypto_libs[@]}" -o "$build/choices"
  "$build/choices"
  for cpu in zen4 emerald-rapids slow irregular stopped; do "$build/choices" "$cpu"; done

  # No use of a register's upper half once it has been cleared: it would slow the SHA extensions' instructions down.
  clang -std=c11 -O2 -I "$kernels/include" -c "$kernels/lanes/sha_ni.c" -o "$build/sha_ni.o"
  if objdump --disassemble --no-show-raw-insn "$build/sha_ni.o" \
    | awk '/>:$/ { name = $2 } /ymm/ && name ~ /_values/ { found = 1 } END { exit !found }'; then
    echo "lanes: a kernel of the SHA extensions uses 256-bit registers" >&2
    exit 1
  fi
  ./frames.sh "$kernels" "$build"
fi
echo "lanes: kernels agree with OpenSSL, and wipe their stack"
