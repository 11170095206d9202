#!/usr/bin/env bash
# Follows secrets through the machine code of libotp as built, from its entry points and through every kernel; and
# through the kernels of SwiftPM's objects. Planted leaks must be found.
#
#   run.sh quick    libotp
#   run.sh all      also SwiftPM's objects, and every backend but OpenSSL's HMAC
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source-path=SCRIPTDIR source=../swiftpm.sh
source ../swiftpm.sh
link_objects "$out/swiftpm.so"
flock --unlock "$lock"
"$root/LibOTP/build.sh" > "$out/libotp.log" || { cat "$out/libotp.log" >&2; exit 1; }
libotp=$root/.build-libotp
include=(-I "$root/LibOTP/include" -I "$root/Sources/COTPSupport/include")
clang -O1 -Wall -Wextra -Werror "${include[@]}" subjects.c -o "$out/subjects"
follow() { python_with_decoders -B "$1.py" "$out/subjects" "${@:2}"; }

{
  follow follow "$libotp/libotp.so.0" kernels
  follow follow "$libotp/libotp.so.0" entries
  if [ "$tier" = all ]; then
    follow follow "$out/swiftpm.so" kernels
    for backend in midstate lanes-portable lanes-sha-ni lanes-avx2 lanes-avx512; do
      follow follow "$libotp/libotp.so.0" entries "$backend"
    done
  fi
} | tee "$out/followed.log"
follow faults "$libotp" "$out" "$tier" | tee "$out/faults.log"
steps=$(sed -n 's/.* \([0-9]*\) instructions: 0 depend.*/\1/p' "$out/followed.log" \
  | awk '{ sum += $1 } END { print sum }')
found=$(sed -n 's/^faults: \([0-9]*\) of .*/\1/p' "$out/faults.log")
echo "machine: none of $steps instructions depends on secrets; $found planted leaks found"
