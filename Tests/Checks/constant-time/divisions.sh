#!/usr/bin/env bash
# No division instruction may operate on a code, since its time depends on its operands, which memcheck does not report.
# Compiles the engine for speed, and for size, at which compilers turn a remainder by a constant into a division, and
# checks every function that contains one.
set -euo pipefail
cd "$(dirname "$0")"
root=../../..
build=$root/.build-divisions
mkdir -p "$build"

# Prints the demangled names of an object file's functions that divide.
dividing_functions() {
  objdump --disassemble --no-show-raw-insn "$1" \
    | awk '/^[0-9a-f]+ <.*>:$/ { name = $2 } $2 ~ /^(i?div[bwlq]?|[us]div)$/ { print name }' \
    | tr -d '<>:' | sort -u | swift demangle --compact
}

# These divide public numbers: the elapsed time by the period, lengths of texts, indices into the known answers' seed,
# sizes of arrays.
public='^static OTP\.VerificationBatch\.\(verify|TimeStep\.|Base32|Base64\.encodedByteCount|KnownAnswer|_ContiguousArrayBuffer'

mapfile -t engine < <(find "$root/Sources/OTP" -name '*.swift' | sort)
for level in -O -Osize; do
  swiftc "$level" -wmo -parse-as-library -swift-version 6 -module-name OTP -package-name swift-otp \
    -I "$root/Sources/COTPSupport/include" -c "${engine[@]}" -o "$build/OTP$level.o"
  found=$(dividing_functions "$build/OTP$level.o")
  if ! grep -q 'TimeStep\.' <<< "$found"; then
    echo "divisions: $level: the expected division was not found" >&2
    exit 1
  fi
  if grep -vE "$public" <<< "$found"; then
    echo "divisions: $level: these functions may divide a secret" >&2
    exit 1
  fi
done

echo 'public func planted(_ code: UInt32) -> UInt32 { code % 1_000_000 }' > "$build/planted.swift"
swiftc -Osize -wmo -parse-as-library -module-name Planted -c "$build/planted.swift" -o "$build/planted.o"
if [ -z "$(dividing_functions "$build/planted.o")" ]; then
  echo "divisions: the planted division was not found" >&2
  exit 1
fi
echo "divisions: none touches a code, with -O and -Osize"
