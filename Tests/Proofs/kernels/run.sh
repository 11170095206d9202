#!/usr/bin/env bash
# Proves from machine code that kernels compute what FIPS 180-4 and RFC 4226 say, for all inputs; that the definitions of
# instructions are those of CPUs; and that planted faults are refused.
#
#   run.sh quick    libotp on x86-64: every kernel's compression and midstates, and the codes of those that take little time
#   run.sh all      everything, also SwiftPM's objects, and libotp for arm64, in two processes
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source-path=SCRIPTDIR source=../swiftpm.sh
source ../swiftpm.sh
"$root/LibOTP/build.sh" > "$out/libotp.log" || { cat "$out/libotp.log" >&2; exit 1; }
cp "$root/.build-libotp/libotp.so.0" "$out/libotp.so"
link_objects "$out/swiftpm.so"
flock --unlock "$lock"
prover=(python_with_decoders -B)

python3 normal_forms.py "$([ "$tier" = quick ] && echo 100 || echo 3000)"
"${prover[@]}" instructions.py standards

# Compares the instructions that were executed with a CPU.
compare() { "${prover[@]}" instructions.py "$out/$1.so" "$out/executed/$1/places.txt" "${@:2}"; }
clang -O1 -Wall -Wextra -Werror instructions.c -o "$out/instructions"

# Sizes of keys and messages around those of blocks, for words of 32 bits and of 64.
narrow=1,20,32,55,56,64,65,119,120,128,129
wide=1,64,111,112,128,129,240
# The two halves of all proofs, for two processes.
first_half() {
  "${prover[@]}" prove.py --executed="$out/executed" "$out/libotp.so" &&
  compare libotp 10 "$out/instructions"
}
second_half() {
  "${prover[@]}" prove.py --executed="$out/executed" "$out"/{swiftpm,arm64}.so &&
  "${prover[@]}" prepare.py "$out/libotp.so" 1-130 otp_sha1_ni &&
  "${prover[@]}" batches.py "$out/libotp.so" 1-10 otp_sha1_ni,1 otp_sha1_ni_x2,2 otp_sha1_ni_x3,3 otp_sha1_ni_x4,100 &&
  "${prover[@]}" batches.py "$out/libotp.so" 1-9 otp_portable_sha1_x4,100 &&
  "${prover[@]}" prepare.py "$out/libotp.so" "$narrow" \
    otp_{sha256_ni,portable_sha1_x4,portable_sha256_x4,avx2_sha1_x8,avx2_sha256_x8,avx512_sha1_x8,avx512_sha256_x8} &&
  "${prover[@]}" prepare.py "$out/libotp.so" "$wide" otp_{portable_sha512_x2,avx2_sha512_x4,avx512_sha512_x4} &&
  "${prover[@]}" prepare.py "$out/arm64.so" "$narrow" otp_{portable_sha1_x4,portable_sha256_x4,arm_sha1_x1,arm_sha256_x1} &&
  "${prover[@]}" prepare.py "$out/arm64.so" "$wide" otp_{portable_sha512_x2,arm_sha512_x1} &&
  compare swiftpm 10 "$out/instructions" &&
  compare arm64 10 qemu-aarch64-static -cpu max "$out/arm-instructions"
}

if [ "$tier" = quick ]; then
  "${prover[@]}" prove.py --only=compress,absorb_key --executed="$out/executed" "$out/libotp.so" | tee "$out/proofs.log"
  "${prover[@]}" prove.py --only=key_values --kernels="$(echo otp_{portable_sha1_x4,sha1_ni{,_x2,_x3,_x4},avx2_sha1_x8} \
    otp_{sha256_ni{,_x2},avx512_sha1_x8,avx512_sha1_x16} | tr ' ' ,)" "$out/libotp.so" | tee -a "$out/proofs.log"
  compare libotp 1 "$out/instructions"
  "${prover[@]}" prepare.py "$out/libotp.so" 20,64,65 otp_sha1_ni | tee -a "$out/proofs.log"
  "${prover[@]}" batches.py "$out/libotp.so" 1-6 otp_sha1_ni,1 otp_sha1_ni_x2,2 otp_sha1_ni_x4,100 \
    | tee -a "$out/proofs.log"
  "${prover[@]}" faults.py 20 "$out/libotp.so" | tee "$out/faults.log"
else
  OTP_LIBOTP_TARGET=aarch64-linux-gnu "$root/LibOTP/build.sh" > "$out/arm64.log" || { cat "$out/arm64.log" >&2; exit 1; }
  cp "$root/.build-libotp-aarch64-linux-gnu/libotp.so.0" "$out/arm64.so"
  clang --target=aarch64-linux-gnu -O1 -Wall -Wextra -Werror -nostdlibinc -isystem /usr/aarch64-linux-gnu/include \
    -c instructions.c -o "$out/arm.o"
  aarch64-linux-gnu-gcc -static "$out/arm.o" -o "$out/arm-instructions"
  first_half > "$out/first.log" 2>&1 &
  process=$!
  status=0
  second_half > "$out/second.log" 2>&1 || status=1
  wait "$process" || status=1
  cat "$out"/{first,second}.log | tee "$out/proofs.log"
  [ "$status" -eq 0 ]
  "${prover[@]}" faults.py 40 "$out"/{libotp,swiftpm,arm64}.so | tee "$out/faults.log"
fi
theorems=$(grep -cE '^\w+ \w+/\w+: [0-9]+ lanes, ' "$out/proofs.log")
refused=$(sed -n 's/faults: \([0-9]*\) of .*/\1/p' "$out/faults.log")
sizes=$(sed -n 's/.*: \([0-9]*\) sizes, .*/\1/p' "$out/proofs.log" | awk '{ sum += $1 } END { print sum }')
(cd "$out" && sha256sum ./*.so executed/*/* && cat proofs.log) > "$out/certificate.txt"
echo "kernels: $theorems theorems about machine code, $sizes about keys, messages and batches of one size," \
  "$refused planted faults refused"
