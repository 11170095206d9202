#!/usr/bin/env bash
# CPUs other than this one: arm64's (arm64.sh); x86-64's in qemu, with SSE2 only and with AVX2 but no SHA extensions; and
# this one with some of its features hidden, such as AVX-512 without the SHA extensions. On each, the tool or otp_info()
# must report the right features and the right set in use, and every vector must pass.
check=cpus
target=
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=../libotp/common.sh
source "$here/../libotp/common.sh"
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$root/Scripts/flavours.sh"

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
building=(swift_build --package-path "$root/Tool" "${flavour_tool[@]}" --product otp)
"${building[@]}" > "$programs/tool.log" 2>&1 || { cat "$programs/tool.log" >&2; fail "the tool does not build"; }
tool=$("${building[@]}" --show-bin-path)/otp
say "built"

# passes NAME LIBRARY FEATURES SET COMMAND...: otp_info() reports these features and that this set is in use; the
# vectors pass. COMMAND is a prefix that runs a program.
passes() {
  local name=$1 library=$2 features=$3 set=$4 found
  shift 4
  library=$(basename "$library")
  found=$("$@" "$programs/describe$library")
  [[ $found == "features=$features set=$set backend=lanes lanes=passed "*" evp=passed self-test=0 code=287082" ]] ||
    fail "$name should have $features and $set: $found"
  echo "$name: $found"
  exact "$* $programs/adapter$library"
}

# tool_passes NAME FEATURES SET COMMAND...: the tool reports the same, and passes the vectors with every backend.
tool_passes() {
  local name=$1 features=$2 set=$3 found line backend
  shift 3
  found=$("$@" "$tool" info)
  for line in "cpuFeatures=$features" "lanes=$set" backend=lanes backendChosenBy=engine knownAnswer.evp=passed \
    knownAnswer.midstate=passed knownAnswer.lanes=passed; do
    grep -qFx "$line" <<< "$found" || fail "$name: '$line' is missing from: $found"
  done
  for backend in "sha-ni:,sha_ni," "avx2:,avx2," "avx512:,avx512f,avx512vl,"; do
    line=absent
    if [[ ",$features," == *"${backend#*:}"* ]]; then line=passed; fi
    grep -qFx "knownAnswer.lanes-${backend%:*}=$line" <<< "$found" || fail "$name: ${backend%:*} is not $line: $found"
  done
  found=$("$@" "$tool" vectors "$root/vectors" --backend all | tail -n 1)
  [[ $found == *" passed, 0 failed" && $found != "0 "* ]] || fail "$name: the tool: $found"
  echo "$name: the tool on every backend: $found"
}

# ---- qemu's CPUs. ----------------------------------------------------------------------------------------------------

emulated() {
  local name=$1 features=$2 set=$3
  passes "$name" "$plain" "$features" "$set" qemu-x86_64-static -cpu "$4"
  tool_passes "$name" "$features" "$set" qemu-x86_64-static -cpu "$4"
}
emulated sse2 sse2 portable qemu64
emulated ssse3 sse2,ssse3 portable Nehalem
emulated avx2-without-sha sse2,ssse3,avx2 avx2 max,-sha-ni

# ---- This CPU, with all of its features and with some hidden. --------------------------------------------------------

read -ra has <<< "$(sed -n 's/^flags.*: //p' /proc/cpuinfo | head -n 1)"
# without NAME FEATURE...: sets `features` and `set` to what remains.
without() {
  local feature
  features=sse2
  for feature in ssse3 avx2 avx512f avx512vl sha_ni; do
    if [[ " ${has[*]} " == *" $feature "* && " $* " != *" $feature "* ]]; then features+=,$feature; fi
  done
  set=portable
  if [[ ",$features," == *,sha_ni,* ]]; then set=sha-ni; fi
  if [[ ",$features," == *,avx2,* ]]; then set=avx2; fi
  if [[ ",$features," == *,avx512f,avx512vl,* ]]; then set=avx512; fi
}
hidden() {
  local names
  without "$@"
  names=$(tr ' ' ',' <<< "$*")
  passes "without-$names" "$hiding" "$features" "$set" env "OTP_PLANTED=without:$names"
  seen+=" $features;"
}
without
tool_passes whole "$features" "$set"
passes whole "$plain" "$features" "$set"
seen=
hidden sha_ni
hidden avx512f avx512vl
hidden avx512vl
hidden avx512f avx512vl avx2
hidden avx512f avx512vl avx2 sha_ni
[[ " ${has[*]} " == *" avx512vl "* ]] || echo "cpus: neither this CPU nor qemu has AVX-512: it was not run"
echo "cpus: the vectors are right on qemu's SSE2 and AVX2 without SHA, and here with$seen"
