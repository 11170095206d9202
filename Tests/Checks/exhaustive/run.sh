#!/usr/bin/env bash
# Every truncated value, 2^31 of them, modulo 10^6, 10^7 and 10^8 and compared with codes, by the engine's own Swift.
set -euo pipefail
cd "$(dirname "$0")"
root=../../..
library=$root/.build-libotp
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$root/Scripts/libotp.sh"
read -ra crypto_libs <<< "$(pkg-config --libs libcrypto)"
# The engine's sources and C objects, without the C face.
mapfile -t engine < <(find "$root/Sources/OTP" -name '*.swift' | sort)
mapfile -t objects < <(find "$library/objects" -name '*.o' ! -name LibOTP.o ! -name OTP.o | sort)
swiftc -O -wmo -swift-version 6 -package-name swift-otp -parse-as-library -module-name Exhaustive \
  -I "$root/Sources/COTPSupport/include" "${engine[@]}" Exhaustive.swift "${objects[@]}" "${crypto_libs[@]}" \
  -o "$work/exhaustive"

for half in 0 1; do "$work/exhaustive" $half > "$work/half-$half" & done
wait
cat "$work"/half-*
[ "$(cat "$work"/half-*)" = $'half 0: 0 wrong\nhalf 1: 0 wrong' ]
echo "exhaustive: all 2^31 truncated values have the right codes, compared with codes and reduced to them"
