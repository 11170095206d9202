#!/usr/bin/env bash
# The engine, the keyring and records as Embedded Swift, as in libotp: runs a program with it, and checks that it needs no Swift runtime.
set -euo pipefail
cd "$(dirname "$0")"
root=../../..
library=$root/.build-libotp
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$root/Scripts/libotp.sh"
read -ra crypto_libs <<< "$(pkg-config --libs libcrypto)"
# Without the C interface.
mapfile -t objects < <(find "$library/objects" -name '*.o' ! -name LibOTP.o | sort)
swiftc -enable-experimental-feature Embedded -wmo -O -swift-version 6 -strict-memory-safety -warnings-as-errors \
  -package-name swift-otp -parse-as-library -I "$root/Sources/COTPSupport/include" -I "$root/Sources/CLibcrypto" -I "$library" main.swift "${objects[@]}" \
  "${crypto_libs[@]}" -Xlinker --gc-sections -o "$work/embedded-check"

output=$("$work/embedded-check")
echo "$output"
[ "$output" = "embedded: 4 passed" ]

libraries=$(ldd "$work/embedded-check")
strip "$work/embedded-check"
echo "embedded: $(stat -c %s "$work/embedded-check") bytes stripped; needs $(echo "$libraries" | awk '{print $1}' | xargs)"
if echo "$libraries" | grep -qi swift; then
  echo "embedded: the program needs a Swift runtime library" >&2
  exit 1
fi
