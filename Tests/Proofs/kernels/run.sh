#!/usr/bin/env bash
# Proves from machine code that kernels compute what FIPS 180-4 and RFC 4226 say, for all inputs; that the definitions
# of instructions are those of CPUs; and that planted faults are refused.
#
#   run.sh quick    libotp on x86-64: its kernels, but the codes of those with more than 8 lanes; a few sizes
#   run.sh all      everything that docs/proofs.md says
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source-path=SCRIPTDIR source=../begin.sh
source ../begin.sh
x86_only
export EXECUTED=$out/executed
libraries=("$out/libotp.so")
build_libotp "$out/libotp.so"
clang -O1 -Wall -Wextra -Werror instructions.c -o "$out/instructions"
if [ "$tier" = all ]; then
  libraries+=("$out"/{swiftpm,arm64}.so)
  link_swiftpm "$out/swiftpm.so"
  build_libotp "$out/arm64.so" aarch64-linux-gnu
  clang --target=aarch64-linux-gnu -O1 -Wall -Wextra -Werror -nostdlibinc -isystem /usr/aarch64-linux-gnu/include \
    -c instructions.c -o "$out/arm.o"
  aarch64-linux-gnu-gcc -static "$out/arm.o" -o "$out/arm-instructions"
fi

compare() {
  if grep -qw avx512bw /proc/cpuinfo; then run instructions "$@" "$out/instructions"; else
    echo "instructions of $1: not compared, since this CPU lacks AVX-512"
  fi
}
prove_quick() {
  run prove "$out/libotp.so" 8
  run lanes "$out/libotp.so" texts 20,64,65 otp_sha1_ni
  run lanes "$out/libotp.so" codes 1-6 otp_sha1_ni{,_x2,_x4}
  compare "$out/libotp.so" 1
}
prove_all() {
  for library in "${libraries[@]}"; do run prove "$library"; done
  run lanes "$out/libotp.so" texts 1-130 otp_sha1_ni
  run lanes "$out/libotp.so" codes 1-10 otp_sha1_ni{,_x2,_x3,_x4}
  run lanes "$out/libotp.so" codes 1-9 otp_portable_sha1_x4
  run lanes "$out/libotp.so" texts - otp_{portable_sha1_x4,avx2_sha1_x8,avx512_sha1_x8,sha256_ni,portable_sha256_x4} \
    otp_{avx2_sha256_x8,avx512_sha256_x8,portable_sha512_x2,avx2_sha512_x4,avx512_sha512_x4}
  run lanes "$out/arm64.so" texts - otp_{portable_sha1_x4,portable_sha256_x4,portable_sha512_x2} \
    otp_arm_{sha1_x1,sha256_x1,sha512_x1}
  compare "$out/libotp.so" 10
  compare "$out/swiftpm.so" 10
  run instructions "$out/arm64.so" 10 qemu-aarch64-static -cpu max "$out/arm-instructions"
}
run normal_forms "$([ "$tier" = quick ] && echo 100 || echo 1000)"
run instructions
"prove_$tier" | tee "$out/proofs.log"
run faults "${libraries[@]}" | tee "$out/faults.log"

theorems=$(grep -cE '^\w+ \w+/\w+ of \w+ lanes: proved' "$out/proofs.log")
sizes=$(grep -cE '^\w+ [0-9]+ .*: proved' "$out/proofs.log")
refused=$(sed -n 's/faults: \([0-9]*\) of .*/\1/p' "$out/faults.log")
wanted="73 18"
if [ "$tier" = all ]; then wanted="205 610"; fi
if [ "$theorems $sizes" != "$wanted" ]; then
  echo "kernels: $theorems theorems and $sizes sizes, not $wanted" >&2
  exit 1
fi
(cd "$out" && sha256sum ./*.so executed/*/* && ../python/bin/pip freeze && cat proofs.log) > "$out/certificate.txt"
echo "kernels: $theorems theorems about machine code, $sizes about keys, messages and batches of one size," \
  "$refused planted faults refused"
