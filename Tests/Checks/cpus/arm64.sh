#!/usr/bin/env bash
# libotp for arm64, cross-built and run under qemu on CPUs with all of ARM's SHA extensions, with those for SHA-1 and
# SHA-256, and with none: each uses its own instructions, passes every vector with every backend, and refuses wrong
# arguments; a wrong lane is noticed.
check=cpus
target=aarch64-linux-gnu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=../libotp/common.sh
source "$here/../libotp/common.sh"

export OTP_LIBOTP_TARGET=$target
"$root/LibOTP/build.sh"
foreign=$("$root/Scripts/foreign.sh" arm64 libssl-dev libssl3)
libraries=$foreign/usr/lib/$target
cc=("$target-gcc" -isystem "$foreign/usr/include" -isystem "$foreign/usr/include/$target" "-L$libraries"
  "-Wl,-rpath-link,$libraries")

# ---- The CPUs: a name, the set used there, and qemu's options. -------------------------------------------------------

# qemu has no CPU without the extensions. This hides them from programs that query the CPU's features.
cat > "$programs/plain_cpu.c" << 'C'
#define _GNU_SOURCE
#include <asm/hwcap.h>
#include <dlfcn.h>
#include <sys/auxv.h>

unsigned long getauxval(unsigned long type) {
  unsigned long (*const ask)(unsigned long) = (unsigned long (*)(unsigned long))dlsym(RTLD_NEXT, "getauxval");
  const unsigned long hidden = HWCAP_SHA1 | HWCAP_SHA2 | HWCAP_SHA3 | HWCAP_SHA512;
  return type == AT_HWCAP ? ask(type) & ~hidden : ask(type);
}
C
"${cc[@]}" -std=c11 -Wall -Wextra -Werror -O1 -shared -fPIC "$programs/plain_cpu.c" -o "$programs/plain-cpu.so"
cpus=(max cortex-a53 plain)
set_of() {
  case $1 in
    max) echo sha512-arm ;;
    plain) echo portable ;;
    *) echo sha-arm ;;
  esac
}

# emulator CPU BUILD: the command prefix that runs programs linked to that build's library.
emulator() {
  local model=$1
  if [ "$1" = plain ]; then model="max -E LD_PRELOAD=$programs/plain-cpu.so"; fi
  echo "qemu-aarch64-static -cpu $model -L /usr/$target -E LD_LIBRARY_PATH=$libraries:$2"
}

# on CPU COMMAND...: runs a program with the plain build.
on() {
  local -a command
  read -ra command <<< "$(emulator "$1" "$plain")"
  "${command[@]}" "${@:2}"
}

OTP_EMULATOR=$(emulator max "$plain") ./binary.sh "$plain"
shared=(-L "$plain" -lotp "-Wl,--as-needed" -lcrypto -pthread)
for program in describe "${quick[@]}" allocations processes; do
  "${cc[@]}" -std=c11 "${strict[@]}" -O1 "$program.c" "${shared[@]}" -o "$programs/$program"
done
"${cc[@]}" -std=c99 "${strict[@]}" -O1 "$adapter.c" "${shared[@]}" -o "$programs/adapter"
say "built"

# ---- Each CPU: the set in use, its vectors, the other backends, arguments. -------------------------------------------

for cpu in "${cpus[@]}"; do
  set=$(set_of "$cpu")
  found=$(on "$cpu" "$programs/describe")
  echo "$cpu: $found"
  [[ " $found " == *" set=$set backend=lanes lanes=passed "*" self-test=0 code=287082 "* ]] || fail "$cpu has not $set"
  # What is asked for by name is the code that one of the CPUs has as `lanes`, with every vector.
  named=(lanes-portable)
  absent=(lanes-avx2)
  case $set in
    sha512-arm) named+=(lanes-sha-arm lanes-sha512-arm) ;;
    sha-arm) named+=(lanes-sha-arm) absent+=(lanes-sha512-arm) ;;
    portable) absent+=(lanes-sha-arm lanes-sha512-arm) ;;
  esac
  for backend in evp midstate lanes; do
    exact "env OTP_BACKEND=$backend $(emulator "$cpu" "$plain") $programs/adapter"
  done
  for backend in "${named[@]}"; do
    found=$(OTP_BACKEND=$backend on "$cpu" "$programs/describe")
    [[ " $found " == *" backend=$backend lanes=passed "*" self-test=0 code=287082 "* ]] ||
      fail "$cpu with $backend: $found"
  done
  for backend in "${absent[@]}"; do
    found=$(OTP_BACKEND=$backend on "$cpu" "$programs/describe")
    [[ " $found " == *" backend= "*" self-test=61 code=none "* ]] || fail "$cpu with $backend: $found"
  done
  for program in "${quick[@]}"; do
    # Failed allocations do not depend on the CPU, and testing them takes long.
    case $program:$cpu in
      failures:max) on max "$programs/failures" SHA-1 ;;
      failures:*) ;;
      *) on "$cpu" "$programs/$program" ;;
    esac
  done
  say "$cpu"
done
on max "$programs/allocations"
on max "$programs/processes" busy

# If the extensions are hidden, none of their instructions is even translated; otherwise the log shows them.
instructions() {
  local log=$programs/instructions.log
  exact "qemu-aarch64-static -cpu max -L /usr/$target -E LD_LIBRARY_PATH=$libraries:$plain $* -d in_asm -D $log \
    $programs/adapter" > "$programs/instructions.out"
  grep -cE '\s(sha1|sha256|sha512)[a-z0-9]+\s' "$log" || true
}
hidden=$(instructions -E "LD_PRELOAD=$programs/plain-cpu.so")
seen=$(instructions)
[ "$hidden" -eq 0 ] || fail "$hidden instructions of the SHA extensions ran on a CPU without them"
[ "$seen" -gt 100 ] || fail "only $seen instructions of the SHA extensions were seen on a CPU with them"
say "$seen instructions of the SHA extensions on a CPU with them, none on a CPU without"

# ---- A wrong lane. ---------------------------------------------------------------------------------------------------

# valgrind's header comes from this machine's own headers; under an emulator its requests do nothing.
own=$root/.build-foreign-arm64/own
mkdir -p "$own"
ln -sfn /usr/include/valgrind "$own/valgrind"
checked=.build-libotp-$target-checks
OTP_LIBOTP_BUILD=$checked OTP_LIBOTP_CFLAGS="-DOTP_CHECKS -I$own" \
  OTP_LIBOTP_SWIFTFLAGS="-Xcc -DOTP_CHECKS -Xcc -I$own" "$root/LibOTP/build.sh"
noticed=0
for cpu in "${cpus[@]}"; do
  set=$(set_of "$cpu")
  read -ra command <<< "$(emulator "$cpu" "$root/$checked")"
  found=$("${command[@]}" "$programs/describe")
  [[ " $found " == *" backend=lanes lanes=passed "*" code=287082 "* ]] || fail "$cpu, nothing planted: $found"
  widths=" 1 2 "
  if [ "$set" = portable ]; then widths=" 1 2 4 "; fi
  for lane in 1:0 2:0 2:1 4:0 4:1 4:2 4:3; do
    [[ $widths == *" ${lane%:*} "* ]] || continue
    found=$(OTP_PLANTED=lane:$lane "${command[@]}" "$programs/describe")
    [[ " $found " == *" lanes=failed "*" code=287082 "* && " $found " != *" backend=lanes "* ]] ||
      fail "$cpu: lane $lane is wrong but used: $found"
    # A set requested by name is not replaced by another. (The portable one has no kernel of one lane.)
    if [ "$set:$lane" != portable:1:0 ]; then
      found=$(OTP_BACKEND=lanes-$set OTP_PLANTED=lane:$lane "${command[@]}" "$programs/describe")
      [[ " $found " == *" backend= "*" self-test=61 code=none "* ]] || fail "$cpu, lane $lane of $set: $found"
    fi
    noticed=$((noticed + 1))
  done
done
say "$noticed wrong lanes were noticed"

headers="-isystem /usr/$target/include -isystem $foreign/usr/include -isystem $foreign/usr/include/$target"
"$here/kernels.sh" "$(emulator max "$plain")" "$headers" "$libraries"
echo "cpus: arm64: the vectors, on ${#cpus[@]} CPUs by every backend; arguments, binary interface, wrong lanes"
