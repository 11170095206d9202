#!/usr/bin/env bash
# Proves from the LLVM IR of the library's own flags that kernels compute what FIPS 180-4 and RFC 4226 say, for all
# inputs; that the definitions of instructions are those of CPUs; and that planted faults are refused.
#
#   run.sh quick    every x86-64 kernel's compression and midstates, and the codes of those that take little time
#   run.sh all      everything, for x86-64 and arm64, in two processes
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source-path=SCRIPTDIR source=../swiftpm.sh
source ../swiftpm.sh
"$root/LibOTP/build.sh" > "$out/libotp.log" || { cat "$out/libotp.log" >&2; exit 1; }
python3 artifacts.py "$build/swiftpm/release.yaml" "$root/.build-libotp/objects" "$out"
flock --unlock "$lock"

# The definitions of instructions. qemu has the SHA extensions, if this CPU lacks them.
clang -O1 -Wall -Wextra -Werror instructions.c -o "$out/instructions"
emulator=()
if ! grep -q ' sha_ni' /proc/cpuinfo; then emulator=(qemu-x86_64-static -cpu max); fi
"${emulator[@]}" "$out/instructions" > "$out/intel.txt"
python3 instructions.py intel "$out/intel.txt"
python3 instructions.py standards
python3 normal_forms.py "$([ "$tier" = quick ] && echo 100 || echo 3000)"

# The two halves of all proofs, for two processes.
first_half() {
  python3 prove.py "$out/avx512.ll" &&
  python3 prepare.py "$out" "$narrow" otp_{sha256_ni,portable_sha1_x4,portable_sha256_x4,avx2_sha1_x8}
}
second_half() {
  python3 prove.py "$out"/{portable,sha_ni,avx2}.ll "$out"/arm/{portable,arm_sha,arm_sha512}.ll &&
  python3 prepare.py "$out" 1-130 otp_sha1_ni &&
  python3 batches.py "$out" 1-10 otp_sha1_ni{,_x2,_x3,_x4} &&
  python3 batches.py "$out" 1-9 otp_portable_sha1_x4 &&
  python3 prepare.py "$out" "$narrow" otp_{avx2_sha256_x8,avx512_sha1_x8,avx512_sha256_x8} &&
  python3 prepare.py "$out" "$wide" otp_{portable_sha512_x2,avx2_sha512_x4,avx512_sha512_x4} &&
  python3 prepare.py "$out/arm" "$narrow" otp_{portable_sha1_x4,portable_sha256_x4,arm_sha1_x1,arm_sha256_x1} &&
  python3 prepare.py "$out/arm" "$wide" otp_{portable_sha512_x2,arm_sha512_x1}
}
# Sizes of keys and messages around those of blocks, for words of 32 bits and of 64.
narrow=1,20,32,55,56,64,65,119,120,128,129
wide=1,64,111,112,128,129,240

x86=("$out"/{portable,sha_ni,avx2,avx512}.ll)
if [ "$tier" = quick ]; then
  python3 prove.py --only=compress,absorb_key "${x86[@]}" | tee "$out/proofs.log"
  python3 prove.py --only=key_values "$out"/{portable,sha_ni}.ll | tee -a "$out/proofs.log"
  python3 prove.py --only=key_values --kernels=otp_avx2_sha1_x8,otp_avx512_sha1_x8,otp_avx512_sha1_x16 \
    "$out"/avx{2,512}.ll | tee -a "$out/proofs.log"
  python3 prepare.py "$out" 20,64,65 otp_sha1_ni | tee "$out/prepared.log"
  python3 batches.py "$out" 1-6 otp_sha1_ni{,_x2,_x4} | tee -a "$out/prepared.log"
  folders=("$out")
else
  headers=$("$root/Scripts/foreign.sh" arm64 libssl-dev libssl3)
  python3 artifacts.py --arm "$headers" "$out"
  clang --target=aarch64-linux-gnu -O1 -Wall -Wextra -Werror -nostdlibinc -isystem /usr/aarch64-linux-gnu/include \
    -c instructions.c -o "$out/arm.o"
  aarch64-linux-gnu-gcc -static "$out/arm.o" -o "$out/arm-instructions"
  qemu-aarch64-static -cpu max "$out/arm-instructions" > "$out/arm.txt"
  python3 instructions.py arm "$out/arm.txt"
  first_half > "$out/first.log" 2>&1 &
  process=$!
  status=0
  second_half > "$out/second.log" 2>&1 || status=1
  wait "$process" || status=1
  cat "$out"/{first,second}.log | tee "$out/proofs.log"
  [ "$status" -eq 0 ]
  grep -E ' (prepare and message_tag|batches)/' "$out/proofs.log" > "$out/prepared.log"
  folders=("$out" "$out/arm")
fi
python3 coverage.py "$tier" "$out/proofs.log" "${folders[@]}" | tee "$out/coverage.log"
python3 faults.py "$out" "$tier" | tee "$out/faults.log"
theorems=$(grep -cE '^\S+ \w+/\w+: [0-9]+ lanes, ' "$out/proofs.log")
kernels=$(sed -n 's/.* about the \([0-9]*\) kernels .*/\1/p' "$out/coverage.log")
refused=$(sed -n 's/faults: \([0-9]*\) of .*/\1/p' "$out/faults.log")
sizes=$(sed -n 's/.*: \([0-9]*\) sizes, .*/\1/p' "$out/prepared.log" | awk '{ sum += $1 } END { print sum }')
(cd "$out" && find . -name '*.ll' -exec sha256sum {} + && cat proofs.log prepared.log) > "$out/certificate.txt"
echo "kernels: $theorems theorems about $kernels kernels, $sizes about keys, messages and batches of one size," \
  "$refused planted faults refused"
