#!/usr/bin/env bash
# libotp for arm64, cross-built and run under qemu on CPUs with all of ARM's SHA extensions, with those for SHA-1 and
# SHA-256, and with none: each uses its own instructions, passes every vector with every backend, and refuses wrong
# arguments.
check=cpus
target=aarch64-linux-gnu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=../libotp/common.sh
source "$here/../libotp/common.sh"
# shellcheck source-path=SCRIPTDIR source=passes.sh
source "$here/passes.sh"

export OTP_LIBOTP_TARGET=$target
"$root/LibOTP/build.sh"
foreign=$("$root/Scripts/foreign.sh" arm64 libssl-dev libssl3)
libraries=$foreign/usr/lib/$target
cc=("$target-gcc" -isystem "$foreign/usr/include" -isystem "$foreign/usr/include/$target" "-L$libraries"
  "-Wl,-rpath-link,$libraries")

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
qemu=(qemu-aarch64-static -L "/usr/$target" -E "LD_LIBRARY_PATH=$libraries:$plain")
max=("${qemu[@]}" -cpu max)

OTP_EMULATOR="${max[*]}" ./binary.sh "$plain"
shared=(-L "$plain" -lotp "-Wl,--as-needed" -lcrypto -pthread)
for program in describe "${quick[@]}" allocations processes; do
  "${cc[@]}" -std=c11 "${strict[@]}" -O1 "$program.c" "${shared[@]}" -o "$programs/$program"
done
"${cc[@]}" -std=c99 "${strict[@]}" -O1 "$adapter.c" "${shared[@]}" -o "$programs/adapter"
say "built"

passes max "*" sha512-arm "portable sha-arm sha512-arm" "" "${max[@]}"
passes cortex-a53 "*" sha-arm "portable sha-arm" "" "${qemu[@]}" -cpu cortex-a53
passes plain "*" portable portable "" "${max[@]}" -E "LD_PRELOAD=$programs/plain-cpu.so"
# What does not depend on the CPU's extensions.
for program in arguments results records threads allocations; do "${max[@]}" "$programs/$program"; done
"${max[@]}" "$programs/failures" SHA-1
"${max[@]}" "$programs/processes" busy
say "arguments"

# If the extensions are hidden, none of their instructions is even translated; otherwise the log shows them.
instructions() {
  local log=$programs/instructions.log
  exact "${max[*]} $* -d in_asm -D $log $programs/adapter" > "$programs/instructions.out"
  grep -cE '\s(sha1|sha256|sha512)[a-z0-9]+\s' "$log" || true
}
hidden=$(instructions -E "LD_PRELOAD=$programs/plain-cpu.so")
seen=$(instructions)
[ "$hidden" -eq 0 ] || fail "$hidden instructions of the SHA extensions ran on a CPU without them"
[ "$seen" -gt 100 ] || fail "only $seen instructions of the SHA extensions were seen on a CPU with them"
say "$seen instructions of the SHA extensions on a CPU with them, none on a CPU without"

headers="-isystem /usr/$target/include -isystem $foreign/usr/include -isystem $foreign/usr/include/$target"
"$here/kernels.sh" "${max[*]}" "$headers" "$libraries"
echo "cpus: arm64: the vectors, on three CPUs by every backend; arguments, binary interface"
