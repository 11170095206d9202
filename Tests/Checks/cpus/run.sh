#!/usr/bin/env bash
# x86-64 CPUs other than this one: with SSE2 only and with AVX2 but no SHA extensions, as qemu has them, and this one as
# if it lacked some of its features, such as AVX-512 without the SHA extensions. On each, the tool says what there is and
# what serves, and libotp and the tool pass every vector.
check=cpus
target=
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=../libotp/common.sh
source "$here/../libotp/common.sh"
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$root/Scripts/flavours.sh"

if [ "$(uname -m)" != x86_64 ]; then
  echo "cpus: this machine is not x86-64; nothing was run"
  exit 0
fi

# The builds in which a feature can be hidden: their code is otherwise that of a release.
OTP_LIBOTP_BUILD=.build-libotp-checks OTP_LIBOTP_CFLAGS=-DOTP_CHECKS OTP_LIBOTP_SWIFTFLAGS="-Xcc -DOTP_CHECKS" \
  "$root/Scripts/libotp.sh"
library=$root/.build-libotp-checks
tool=(swift_build --package-path "$root/Tool" "${flavour_checks[@]}" --product otp)
"${tool[@]}" > "$programs/tool.log" 2>&1 || { cat "$programs/tool.log" >&2; fail "the tool does not build"; }
tool=$("${tool[@]}" --show-bin-path)/otp
clang -std=c99 "${strict[@]}" -I "$library" -O1 "${c_sources[@]}" "$library/libotp.a" -lcrypto "${json[@]}" \
  -o "$programs/vectors"
say "built"

# on NAME FEATURES SET COMMAND...: the tool says these features, this set and that it serves; vectors pass. The command
# stands before a program's.
on() {
  local name=$1 features=$2 set=$3 found line backend
  shift 3
  found=$("$@" "$tool" info)
  for line in "cpuFeatures=$features" "lanes=$set" backend=lanes backendChosenBy=engine knownAnswer.evp=passed \
    knownAnswer.midstate=passed knownAnswer.lanes=passed; do
    grep -qFx "$line" <<< "$found" || fail "$name: '$line' is missing from: $found"
  done
  # What the CPU has no instructions for is absent, and nothing fails.
  for backend in sha-ni:sha_ni avx2:avx2 avx512:avx512vl; do
    line=absent
    if [[ ",$features," == *",${backend#*:},"* ]]; then line=passed; fi
    # Both halves of AVX-512 are needed.
    if [[ $backend == avx512:* && ",$features," != *",avx512f,"* ]]; then line=absent; fi
    grep -qFx "knownAnswer.lanes-${backend%:*}=$line" <<< "$found" || fail "$name: ${backend%:*} is not $line: $found"
  done
  found=$("$@" "$tool" vectors "${files[@]}" --backend all | tail -n 1)
  [[ $found == *" passed, 0 failed" && $found != "0 "* ]] || fail "$name: the tool: $found"
  echo "$name: $set serves; the tool's vectors on every backend: $found"
  printf '#!/bin/sh\nexec %s %s "$@"\n' "$*" "$programs/vectors" > "$programs/$name"
  chmod +x "$programs/$name"
  ran "$programs/$name" "${all_kinds[@]}"
}

# ---- CPUs that qemu has. ---------------------------------------------------------------------------------------------

on sse2 sse2 portable qemu-x86_64-static -cpu qemu64
on ssse3 sse2,ssse3 portable qemu-x86_64-static -cpu Nehalem
on avx2-without-sha sse2,ssse3,avx2 avx2 qemu-x86_64-static -cpu max,-sha-ni

# ---- This one, less some of its features. ----------------------------------------------------------------------------

read -ra has <<< "$(sed -n 's/^flags.*: //p' /proc/cpuinfo | head -n 1)"
# hidden NAME FEATURE...: as if these were not there. What is left says which set serves.
hidden() {
  local name=$1 features=sse2 set=portable feature left
  shift
  for feature in ssse3 avx2 avx512f avx512vl sha_ni; do
    if [[ " ${has[*]} " == *" $feature "* && " $* " != *" $feature "* ]]; then features+=,$feature; fi
  done
  left=",$features,"
  if [[ $left == *,sha_ni,* ]]; then set=sha-ni; fi
  if [[ $left == *,avx2,* ]]; then set=avx2; fi
  if [[ $left == *,avx512f,* && $left == *,avx512vl,* ]]; then set=avx512; fi
  on "$name" "$features" "$set" env "OTP_PLANTED=without:$(tr ' ' ',' <<< "$*")"
  seen+=" $set:$([[ $left == *,sha_ni,* ]] && echo sha || echo plain)"
}
seen=
hidden without-sha sha_ni
hidden without-avx512f avx512f avx512vl
hidden without-avx512vl avx512vl
hidden without-avx avx512f avx512vl avx2
hidden without-avx-and-sha avx512f avx512vl avx2 sha_ni
if [[ " ${has[*]} " != *" avx512vl "* ]]; then echo "cpus: this CPU has no AVX-512, and qemu neither: not run"; fi
echo "cpus: $total vectors counted; right on qemu's SSE2 and AVX2, and here on$seen"
