#!/usr/bin/env bash
# All 2^31 truncated values, reduced modulo 10^6, 10^7 and 10^8 and compared with codes by the engine's own Swift.
set -euo pipefail
cd "$(dirname "$0")"
engine=../../../Sources/Core/OTP
support=../../../Sources/Core/COTPSupport
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The engine's sources under test and what they need, in one module, so that internal functions can be called.
sources=("$engine"/ConstantTime/*.swift "$engine"/Codes/{Digits,OTPCode,SubmittedCode,TypedCharacters,TypedDigits}.swift
  "$engine"/Verification/MatchScan.swift "$engine"/OTPError*.swift "$engine"/Secrets/{Redaction,SecretBytes}.swift
  "$engine/Text/DecimalDigit.swift")
clang -std=c11 -O2 -D_GNU_SOURCE -I "$support/include" -c "$support/wipe.c" -o "$work/wipe.o"
swiftc -O -wmo -swift-version 6 -package-name swift-otp -parse-as-library -module-name Exhaustive -I "$support/include" \
  "${sources[@]}" Exhaustive.swift "$work/wipe.o" -lcrypto -o "$work/exhaustive"

for half in 0 1; do "$work/exhaustive" $half > "$work/half-$half" & done
wait
cat "$work"/half-*
[ "$(cat "$work"/half-*)" = $'half 0: 0 wrong\nhalf 1: 0 wrong' ]
echo "exhaustive: all 2^31 truncated values have the right codes, by reduction and by comparison"
