#!/usr/bin/env bash
# Compiles the engine as Embedded Swift, runs a program with it, and checks that the program needs no Swift runtime.
set -euo pipefail
cd "$(dirname "$0")"
root=../../..
build=$root/.build-embedded
mkdir -p "$build"

read -ra crypto_cflags <<< "$(pkg-config --cflags libcrypto)"
read -ra crypto_libs <<< "$(pkg-config --libs libcrypto)"
for source in "$root"/Sources/COTPKernels/*.c "$root"/Sources/COTPKernels/lanes/*.c; do
  clang -std=c11 -O2 -fPIC -Wall -Wextra -Werror "${crypto_cflags[@]}" -I "$root/Sources/COTPKernels/include" -c "$source" \
    -o "$build/$(basename "$source" .c).o"
done

mapfile -t engine < <(find "$root/Sources/OTP" -name '*.swift' | sort)
flags=(-enable-experimental-feature Embedded -wmo -O -swift-version 6 -strict-memory-safety -warnings-as-errors
  -package-name swift-otp -I "$root/Sources/COTPKernels/include")
swiftc "${flags[@]}" -parse-as-library -module-name OTP -emit-module -emit-module-path "$build/OTP.swiftmodule" \
  -c "${engine[@]}" -o "$build/OTP.o"
swiftc "${flags[@]}" -parse-as-library -I "$build" main.swift "$build"/*.o "${crypto_libs[@]}" \
  -o "$build/embedded-check"

output=$("$build/embedded-check")
echo "$output"
[ "$output" = "embedded: 20 passed" ]

libraries=$(ldd "$build/embedded-check")
strip -o "$build/embedded-check-stripped" "$build/embedded-check"
echo "embedded: $(stat -c %s "$build/embedded-check-stripped") bytes stripped; needs $(echo "$libraries" | awk '{print $1}' | xargs)"
if echo "$libraries" | grep -qi swift; then
  echo "embedded: the program needs a Swift runtime library" >&2
  exit 1
fi
