#!/usr/bin/env bash
# The C kernels by themselves: against OpenSSL on every instruction set that this CPU has, and by models of the SHA
# extensions' instructions, their truncation, which of them serves how many codes, as arm64 code under an emulator, and
# with poisoned secrets. `run.sh COUNT` compares so many codes instead of a
# million for each hash and set.
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

if [ "$(uname -m)" = x86_64 ]; then
  # The kernels of the SHA extensions by models of the instructions, on any CPU; by the instructions, above, on some.
  by_models=(-DSHA_BY_MODELS -include sha_models.h -I "$kernels" sha_models.c "$kernels"/{hashes,wipe}.c
    "$kernels"/lanes/*.c)
  clang "${flags[@]}" -O2 "${by_models[@]}" differential.c "${crypto_libs[@]}" -o "$build/differential-by-models"
  "$build/differential-by-models" $((count / 4))
  clang "${flags[@]}" -O2 -I "$kernels" sha_models.c "$kernels/cpu.c" -o "$build/models"
  "$build/models"

  clang "${flags[@]}" -O2 -I "$kernels" truncation.c "$kernels/cpu.c" -o "$build/truncation"
  "$build/truncation"

  clang "${flags[@]}" -O1 -I "$kernels" choices.c "$kernels"/lanes/{lanes,plans}.c "$kernels"/{hashes,wipe}.c \
    "${crypto_libs[@]}" -o "$build/choices"
  "$build/choices"

  # arm64: the vectors are NEON's there.
  clang "${flags[@]}" -O2 -DWITH_OPENSSL checksum.c "$kernels/hashes.c" "${crypto_libs[@]}" -o "$build/checksum-openssl"
  arm64_sources=(checksum.c without_libcrypto.c)
  for name in cpu hashes wipe lanes/lanes lanes/plans lanes/portable; do arm64_sources+=("$kernels/$name.c"); done
  objects=()
  for source in "${arm64_sources[@]}"; do
    object=$build/arm64-$(basename "$source" .c).o
    clang --target=aarch64-linux-gnu --sysroot=/usr/aarch64-linux-gnu -isystem /usr/aarch64-linux-gnu/include \
      -idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu -std=c11 -O2 -Wall -Wextra \
      -DOPENSSL_NO_DEPRECATED -I "$kernels/include" -c "$source" -o "$object"
    objects+=("$object")
  done
  aarch64-linux-gnu-gcc -static "${objects[@]}" -o "$build/checksum-arm64"
  expected=$("$build/checksum-openssl")
  found=$(qemu-aarch64-static "$build/checksum-arm64")
  if [ "$expected" != "$found" ]; then
    echo "lanes: arm64 gives $found, OpenSSL $expected" >&2
    exit 1
  fi
  echo "lanes: arm64 under qemu agrees with OpenSSL: $found"

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
