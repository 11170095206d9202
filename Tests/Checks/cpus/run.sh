#!/usr/bin/env bash
# CPUs other than this one: arm64's (arm64.sh); x86-64's in qemu, with SSE2 only and with AVX2 but no SHA extensions; and
# this one with some of its features hidden, such as AVX-512 without the SHA extensions. On each, otp_info() must report
# the right features and the right set in use, and every vector must pass.
check=cpus
target=
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=../libotp/common.sh
source "$here/../libotp/common.sh"
# shellcheck source-path=SCRIPTDIR source=passes.sh
source "$here/passes.sh"

"$here/arm64.sh"
if [ "$(uname -m)" != x86_64 ]; then
  echo "cpus: this machine is not x86-64, whose CPUs were not run"
  exit 0
fi

# The library as installed, and a build in which features can be hidden.
"$root/LibOTP/build.sh"
hiding=$root/.build-libotp-checks
OTP_LIBOTP_BUILD=.build-libotp-checks OTP_LIBOTP_CFLAGS=-DOTP_CHECKS OTP_LIBOTP_SWIFTFLAGS="-Xcc -DOTP_CHECKS" \
  "$root/LibOTP/build.sh"
for library in "$plain" "$hiding"; do
  name=$(basename "$library")
  clang -std=c99 "${strict[@]}" -O1 "$adapter.c" "$library/libotp.a" -lcrypto -o "$programs/adapter$name"
  clang -std=c11 "${strict[@]}" -O1 describe.c "$library/libotp.a" -lcrypto -o "$programs/describe$name"
done
say "built"

passes sse2 sse2 portable portable "$(basename "$plain")" qemu-x86_64-static -cpu qemu64
passes ssse3 sse2,ssse3 portable portable "$(basename "$plain")" qemu-x86_64-static -cpu Nehalem
passes avx2-without-sha sse2,ssse3,avx2 avx2 "portable avx2" "$(basename "$plain")" qemu-x86_64-static -cpu max,-sha-ni

# ---- This CPU, with all of its features and with some hidden. --------------------------------------------------------

read -ra has <<< "$(sed -n 's/^flags.*: //p' /proc/cpuinfo | head -n 1)"
# without NAME FEATURE...: sets `features`, `set` and `named` to what remains.
without() {
  local feature
  features=sse2
  for feature in ssse3 avx2 avx512f avx512vl sha_ni; do
    if [[ " ${has[*]} " == *" $feature "* && " $* " != *" $feature "* ]]; then features+=,$feature; fi
  done
  named=portable
  if [[ ",$features," == *,sha_ni,* ]]; then named+=" sha-ni"; fi
  if [[ ",$features," == *,avx2,* ]]; then named+=" avx2"; fi
  if [[ ",$features," == *,avx512f,avx512vl,* ]]; then named+=" avx512"; fi
  set=${named##* }
}
hidden() {
  local names
  without "$@"
  names=$(tr ' ' ',' <<< "$*")
  passes "without-$names" "$features" "$set" "$named" "$(basename "$hiding")" env "OTP_PLANTED=without:$names"
  seen+=" $features;"
}
without
passes whole "$features" "$set" "$named" "$(basename "$plain")" env
seen=
hidden sha_ni
hidden avx512f avx512vl
hidden avx512vl
hidden avx512f avx512vl avx2
hidden avx512f avx512vl avx2 sha_ni
[[ " ${has[*]} " == *" avx512vl "* ]] || echo "cpus: neither this CPU nor qemu has AVX-512: it was not run"
echo "cpus: the vectors are right on qemu's SSE2 and AVX2 without SHA, and here with$seen"
