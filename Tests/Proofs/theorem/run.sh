#!/usr/bin/env bash
# Proves from machine code that otp_totp_verify is RFC 6238, as docs/proofs.md states it: for windows of at most one
# step on a side, with the theorems of kernels/run.sh about the same library. Planted faults must be refused.
#
#   run.sh quick    six digits, and parameters and a window that are not given
#   run.sh all      any parameters and window
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source-path=SCRIPTDIR source=../begin.sh
source ../begin.sh
x86_only
build_libotp "$out/libotp.so"
kernels=$build/kernels/proofs.log
if ! cmp "$out/libotp.so" "$build/kernels/libotp.so" || [ ! -s "$kernels" ]; then
  echo "theorem: run kernels/run.sh first, of the same library" >&2
  exit 1
fi
clang -O1 -Wall -Wextra -Werror -I "$root/LibOTP/include" -I "$root/Sources/Core/COTPSupport/include" \
  ../machine/subjects.c -o "$out/subjects" -lcrypto
run compare "$out/subjects" "$out/libotp.so" | tee "$out/compared.log"
run prove "$out/libotp.so" "$kernels" "$tier" | tee "$out/proofs.log"
run faults "$out/libotp.so" "$kernels" "$tier" | tee "$out/faults.log"
counts=$(for kind in 'batches of 1 to .*: proved' 'batches of 2 to .*: proved' 'task .*: proved' 'call .*: proved'; do
  grep -c "^$kind" "$out/proofs.log"
done | xargs)
wanted="18 10 3 1"
if [ "$tier" = all ]; then wanted="18 10 9 32"; fi
if [ "$counts" != "$wanted" ]; then
  echo "theorem: $counts plans, plans with a kernel of libcrypto, tasks and calls, not $wanted" >&2
  exit 1
fi
(cd "$out" && sha256sum ./*.so && ../python/bin/pip freeze && cat proofs.log) > "$out/certificate.txt"
read -r plans others tasks calls <<< "$counts"
echo "theorem: otp_totp_verify is RFC 6238: $plans plans, $others with a kernel of libcrypto, $tasks tasks, $calls calls;" \
  "$(sed -n 's/faults: \([0-9]*\) of .*/\1/p' "$out/faults.log") planted faults refused"
