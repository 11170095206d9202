#!/usr/bin/env bash
# libotp, the engine as a C library, as installed: every vector from C and C++, its binary interface is
# the committed one, and no argument makes it do what otp.h does not document.
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "$0")/common.sh"

"$root/LibOTP/build.sh"
# Also if another clang is first in PATH, which would be asked for its version.
printf '#!/bin/sh\nexit 1\n' > "$programs/clang"
chmod +x "$programs/clang"
env -u OTP_TOOLCHAIN PATH="$programs:$PATH" "$root/LibOTP/build.sh" > /dev/null || fail "the build takes any clang"
rm "$programs/clang"
shared=(-L "$plain" -lotp "-Wl,-rpath,$plain")

# ---- The binary interface. -------------------------------------------------------------------------------------------

./binary.sh "$plain"
for language in c99 c11 c++11; do
  flags=("-std=$language" -pedantic -Wall -Wextra -Werror -fsyntax-only)
  if [[ $language == c++* ]]; then compilers=(clang++ g++) form=c++; else compilers=(clang gcc) form=c; fi
  for compiler in "${compilers[@]}"; do
    command -v "$compiler" > /dev/null || continue
    "$compiler" -x "$form" "${flags[@]}" "$plain/otp.h"
  done
done

# A 32-bit compiler refuses the header, and says why. (Freestanding, since it needs no libc for that.)
if clang --target=i686-linux-gnu -ffreestanding -fsyntax-only -x c "$plain/otp.h" 2> "$programs/narrow.log"; then
  fail "a 32-bit compiler accepts the header"
fi
grep -qF '64-bit systems only' "$programs/narrow.log" || fail "a 32-bit compiler refuses the header for another reason"

# ---- The example, and the vectors. ------------------------------------------------------------------------------------

for compiler in clang gcc; do
  command -v "$compiler" > /dev/null || continue
  "$compiler" -std=c99 "${strict[@]}" -O1 "$adapter.c" "${shared[@]}" -o "$programs/c-shared-$compiler"
  "$compiler" -std=c99 "${strict[@]}" -O1 "$adapter.c" "$plain/libotp.a" -lcrypto -o "$programs/c-static-$compiler"
  "$compiler" -std=c99 "${strict[@]}" -O1 "$examples/c/login.c" "${shared[@]}" -o "$programs/login-$compiler"
  exact "$programs/c-shared-$compiler"
  exact "$programs/c-static-$compiler"
  "$programs/login-$compiler" | grep -qFx "With the code: in. With the same code again: out."
done
for compiler in clang++ g++; do
  command -v "$compiler" > /dev/null || continue
  "$compiler" -std=c++17 "${strict[@]}" -I "$root/LibOTP/bindings/c++" "$adapter.cpp" "${shared[@]}" -o "$programs/cxx-$compiler"
  exact "$programs/cxx-$compiler"
  "$compiler" -std=c++17 "${strict[@]}" -I "$root/LibOTP/bindings/c++" keyring.cpp "${shared[@]}" \
    -o "$programs/keyring-$compiler"
  "$programs/keyring-$compiler" "$programs/$compiler.keyring"
done
say "vectors from C and C++"

# ---- Callers' mistakes, and a server's use. --------------------------------------------------------------------------

for program in "${quick[@]}" allocations processes exits; do
  clang -std=c11 "${strict[@]}" -O1 -g "$program.c" "${shared[@]}" -Wl,--as-needed -lcrypto -pthread \
    -o "$programs/$program"
done
for program in "${quick[@]}" allocations exits; do "$programs/$program"; done
OTP_BACKEND=midstate "$programs/allocations"
for mode in busy starting; do "$programs/processes" "$mode"; done
if [ "$(uname -m)" = x86_64 ]; then
  clang -std=c11 "${strict[@]}" -I "$root/Sources/Core/COTPSupport/include" -O1 -g handlers.c "$plain/objects/once.o" \
    -pthread -o "$programs/handlers"
  "$programs/handlers"
fi
# Racing first uses, each in its own process.
for ((i = 0; i < 20; i++)); do "$programs/threads" > /dev/null; done
clang -std=c11 "${strict[@]}" -O1 -g unload.c -pthread -o "$programs/unload"
"$programs/unload" "$plain/libotp.so.0"
say "as it is installed"

echo "libotp: vectors from C and C++, binary interface, arguments, allocations, threads, fork, exit"
