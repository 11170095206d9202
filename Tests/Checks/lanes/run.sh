#!/usr/bin/env bash
# The C kernels by themselves: they agree with OpenSSL on every instruction set of this CPU and with models of the SHA
# extensions' instructions; they truncate right; the right ones are chosen for each number of codes; and they neither
# branch nor index on poisoned secrets. `run.sh COUNT` compares COUNT codes for each hash and set instead of a million.
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

  for level in -O1 -O2 -O3; do
    clang "${flags[@]}" "$level" -g -fsanitize=memory -fno-sanitize-memory-param-retval -DOPENSSL_NO_DEPRECATED \
      -DOTP_WITHOUT_BARRIERS "${by_models[@]}" poisoned.c without_libcrypto.c -o "$build/poisoned"
    "$build/poisoned"
    for leak in branch index; do
      if "$build/poisoned" "$leak" > "$build/poisoned.log" 2>&1 \
        || ! grep 'use-of-uninitialized-value' "$build/poisoned.log" > /dev/null; then
        echo "lanes: the planted $leak was not reported" >&2
        exit 1
      fi
    done
  done
  ./branches.sh "$kernels" "$build"
  ./frames.sh "$kernels" "$build"
fi
echo "lanes: kernels agree with OpenSSL, and neither branch nor index on secrets"
