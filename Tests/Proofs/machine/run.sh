#!/usr/bin/env bash
# Follows secrets through the machine code of libotp as built, from its entry points. Planted leaks must be found.
#
#   run.sh quick    with the kernels that libotp chooses, and with libcrypto's
#   run.sh all      with every backend that the CPU has but OpenSSL's HMAC
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source-path=SCRIPTDIR source=../begin.sh
source ../begin.sh
x86_only
build_libotp "$out/libotp.so"
include=(-I "$root/LibOTP/include" -I "$root/Sources/Core/COTPSupport/include")
clang -O1 -Wall -Wextra -Werror "${include[@]}" subjects.c -o "$out/subjects" -lcrypto
backends=(lanes midstate)
if [ "$tier" = all ]; then
  backends+=(lanes-portable)
  for words in sha_ni=lanes-sha-ni avx2=lanes-avx2 avx512vl=lanes-avx512; do
    if grep -qw "${words%=*}" /proc/cpuinfo; then backends+=("${words#*=}"); else echo "machine: no ${words#*=} here"; fi
  done
fi
for backend in "${backends[@]}"; do
  run follow "$out/subjects" "$out/libotp.so" "$backend" | tee -a "$out/followed.log"
done
run faults "$out/subjects" "$root/.build-libotp/objects" "$out" "$tier" | tee "$out/faults.log"
steps=$(sed -n 's/.* \([0-9]*\) instructions: 0 depend.*/\1/p' "$out/followed.log" \
  | awk '{ sum += $1 } END { print sum }')
found=$(sed -n 's/^faults: \([0-9]*\) of .*/\1/p' "$out/faults.log")
echo "machine: none of $steps instructions depends on secrets; $found planted leaks found"
