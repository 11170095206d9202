#!/usr/bin/env bash
# Proves from the LLVM IR of the library's own flags that kernels compute what FIPS 180-4 and RFC 4226 say, for all
# inputs; that the definitions of instructions are those of CPUs; and that planted faults are refused.
#
#   run.sh quick    every x86-64 kernel's compression and midstates, and the codes of those that take little time
#   run.sh all      everything, for x86-64 and arm64, in two processes
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../../.. && pwd)
tier=${1:-quick}
build=$root/.build-proofs
out=$build/kernels
case $tier in
  quick | all) ;;
  *) echo "usage: $0 quick|all" >&2; exit 64 ;;
esac
if [ "$(uname -m)" != x86_64 ]; then
  echo "kernels: this machine is not x86-64; nothing was proved"
  exit 0
fi
mkdir -p "$build"
exec {lock}< "$build"
flock "$lock"
rm -rf "$out"
mkdir -p "$out"

# SwiftPM's own objects and commands.
SWIFT_DETERMINISTIC_HASHING=1 swift build --package-path "$root" --scratch-path "$build/swiftpm" -c release \
  --target COTPSupport > "$out/swift.log" 2>&1 || { cat "$out/swift.log" >&2; exit 1; }
python3 artifacts.py "$build/swiftpm/release.yaml" "$out"

# The definitions of instructions. qemu has the SHA extensions, if this CPU lacks them.
clang -O1 -Wall -Wextra -Werror instructions.c -o "$out/instructions"
emulator=()
if ! grep -q ' sha_ni' /proc/cpuinfo; then emulator=(qemu-x86_64-static -cpu max); fi
"${emulator[@]}" "$out/instructions" > "$out/intel.txt"
python3 instructions.py intel "$out/intel.txt"
python3 instructions.py standards

# in_two FILE...: proves the kernels of two lists of files at once, which `--` separates.
in_two() {
  local -a first=()
  while [ "$1" != -- ]; do first+=("$1"); shift; done
  shift
  python3 prove.py "${first[@]}" > "$out/first.log" &
  local process=$! status=0
  python3 prove.py "$@" > "$out/second.log" || status=1
  wait "$process" || status=1
  cat "$out"/{first,second}.log
  cat "$out"/{first,second}.log >> "$out/proofs.log"
  return "$status"
}

x86=("$out"/{portable,sha_ni,avx2,avx512}.ll)
if [ "$tier" = quick ]; then
  python3 prove.py --only=compress,absorb_key "${x86[@]}" | tee "$out/proofs.log"
  python3 prove.py --only=key_values "$out"/{portable,sha_ni}.ll | tee -a "$out/proofs.log"
  python3 prove.py --only=key_values --kernels=otp_avx2_sha1_x8,otp_avx512_sha1_x8,otp_avx512_sha1_x16 \
    "$out"/avx{2,512}.ll | tee -a "$out/proofs.log"
  folders=("$out")
else
  headers=$("$root/Scripts/foreign.sh" arm64 libssl-dev libssl3)
  python3 artifacts.py --arm "$headers" "$out"
  clang --target=aarch64-linux-gnu -O1 -Wall -Wextra -Werror -nostdlibinc -isystem /usr/aarch64-linux-gnu/include \
    -c instructions.c -o "$out/arm.o"
  aarch64-linux-gnu-gcc -static "$out/arm.o" -o "$out/arm-instructions"
  qemu-aarch64-static -cpu max "$out/arm-instructions" > "$out/arm.txt"
  python3 instructions.py arm "$out/arm.txt"
  in_two "$out/avx512.ll" -- "$out"/{portable,sha_ni,avx2}.ll "$out"/arm/{portable,arm_sha,arm_sha512}.ll
  folders=("$out" "$out/arm")
fi
python3 coverage.py "$tier" "$out/proofs.log" "${folders[@]}" | tee "$out/coverage.log"
python3 faults.py "$out" | tee "$out/faults.log"
theorems=$(grep -cE '^\S+ \w+/\w+: [0-9]+ lanes, ' "$out/proofs.log")
kernels=$(sed -n 's/.* about the \([0-9]*\) kernels .*/\1/p' "$out/coverage.log")
refused=$(sed -n 's/faults: \([0-9]*\) of .*/\1/p' "$out/faults.log")
echo "kernels: $theorems theorems about $kernels kernels, $refused planted faults refused"
