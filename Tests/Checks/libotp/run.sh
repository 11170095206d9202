#!/usr/bin/env bash
# libotp, the engine as a C library, as installed: its examples run every vector from C and C++, its binary interface is
# the committed one, and no argument makes it do what otp.h does not document.
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "$0")/common.sh"

"$root/Scripts/libotp.sh"
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

# ---- The examples. ---------------------------------------------------------------------------------------------------

for compiler in clang gcc; do
  command -v "$compiler" > /dev/null || continue
  "$compiler" -std=c99 "${strict[@]}" -O1 "${c_sources[@]}" "${shared[@]}" "${json[@]}" \
    -o "$programs/c-shared-$compiler"
  "$compiler" -std=c99 "${strict[@]}" -O1 "${c_sources[@]}" "$plain/libotp.a" -lcrypto "${json[@]}" \
    -o "$programs/c-static-$compiler"
  "$compiler" -std=c99 "${strict[@]}" -O1 "$examples/c/login.c" "${shared[@]}" -o "$programs/login-$compiler"
  ran "$programs/c-shared-$compiler" "${all_kinds[@]}"
  ran "$programs/c-static-$compiler" "${all_kinds[@]}"
  "$programs/login-$compiler" | grep -qFx "With the code: in. With the same code again: out."
done
for compiler in clang++ g++; do
  command -v "$compiler" > /dev/null || continue
  "$compiler" -std=c++17 "${strict[@]}" -I "$root/Bindings/c++" "$root/Bindings/c++/tests/vectors.cpp" "${shared[@]}" \
    -o "$programs/cxx-$compiler"
  ran "$programs/cxx-$compiler" hotp totp verify-hotp verify-totp
done
# A runner that passes a wrong code, or skips what it does not know, proves nothing.
sed 's/"code": "755224"/"code": "755225"/' "$root/vectors/rfc4226-hotp.json" > "$programs/wrong-code.json"
sed 's/"type": "hotp"/"type": "hopt"/' "$root/vectors/rfc4226-hotp.json" > "$programs/wrong-type.json"
sed 's/"id": 1,/"id": 1, "unknown": 1,/' "$root/vectors/rfc4226-hotp.json" > "$programs/wrong-field.json"
# expect_failure PROGRAM CONTROL: the program fails a file that is wrong.
expect_failure() {
  if "$programs/$1" "$programs/wrong-$2.json" > "$programs/control.log"; then fail "$1 passes a wrong $2"; fi
}
for wrong in code type field; do
  cmp -s "$programs/wrong-$wrong.json" "$root/vectors/rfc4226-hotp.json" && fail "the control $wrong changes nothing"
  for program in c-shared-clang cxx-clang++; do expect_failure "$program" "$wrong"; done
done
# Of each answer of a sequence, another.
sequences=$root/vectors/record-sequences.json
sed '0,/"matched": "[0-9]*/s//&1/' "$sequences" > "$programs/wrong-matched.json"
sed '0,/"answer": "rejected"/s//"answer": "wait", "until": "0"/' "$sequences" > "$programs/wrong-rejected.json"
sed '0,/"wait", "until": "[0-9]*/s//&1/' "$sequences" > "$programs/wrong-wait.json"
sed '0,/"locked", "until": null/s//"locked", "until": "0"/' "$sequences" > "$programs/wrong-locked.json"
for wrong in matched rejected wait locked; do
  cmp -s "$programs/wrong-$wrong.json" "$sequences" && fail "the control $wrong changes nothing"
  expect_failure c-shared-clang "$wrong"
done
say "vectors from C and C++"

# ---- Callers' mistakes, and a server's use. --------------------------------------------------------------------------

for program in "${quick[@]}" allocations processes exits; do
  clang -std=c11 "${strict[@]}" -O1 -g "$program.c" "${shared[@]}" -Wl,--as-needed -lcrypto -pthread \
    -o "$programs/$program"
done
for program in "${quick[@]}" allocations exits; do "$programs/$program"; done
OTP_BACKEND=midstate "$programs/allocations"
for mode in fresh busy records starting; do "$programs/processes" "$mode"; done
# Racing first uses, each in its own process.
for ((i = 0; i < 20; i++)); do "$programs/threads" > /dev/null; done
clang -std=c11 "${strict[@]}" -O1 -g unload.c -pthread -o "$programs/unload"
"$programs/unload" "$plain/libotp.so.0"
say "as it is installed"

echo "libotp: $total vectors counted, C and C++ ran theirs; binary interface, arguments, allocations, leaks, threads, fork, exit"
