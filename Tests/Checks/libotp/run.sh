#!/usr/bin/env bash
# libotp, the engine as a C library: its examples run every vector from C and C++, its binary interface is the committed
# one, no argument makes it do what otp.h does not say, and it is clean of what sanitizers, memcheck and a fuzzer see.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")"
root=$(cd ../../.. && pwd)
plain=$root/.build-libotp
sanitized=$root/.build-libotp-asan
races=$root/.build-libotp-tsan
undefined=$root/.build-libotp-memcheck
programs=$root/.build-libotp-check
rm -rf "$programs"
mkdir -p "$programs"

say() { echo "[$SECONDS s] $*"; }

fail() {
  echo "libotp: $*" >&2
  exit 1
}

# ---- The library, four times: as it is installed, and for each tool that watches it. ---------------------------------

# Builds one of them, with a log.
build() {
  case $1 in
    plain) OTP_LIBOTP_BUILD=.build-libotp "$root/Scripts/libotp.sh" ;;
    sanitized) "$root/Fuzz/LibOTP/build.sh" .build-libotp-asan ;;
    races)
      OTP_LIBOTP_BUILD=.build-libotp-tsan OTP_LIBOTP_CFLAGS="-g -fsanitize=thread" \
        OTP_LIBOTP_SWIFTFLAGS="-sanitize=thread" OTP_LIBOTP_LDFLAGS=-Wl,--unresolved-symbols=ignore-all \
        "$root/Scripts/libotp.sh"
      ;;
    undefined)
      OTP_LIBOTP_BUILD=.build-libotp-memcheck OTP_LIBOTP_CFLAGS=-DOTP_CONSTANT_TIME_CHECK \
        OTP_LIBOTP_SWIFTFLAGS="-Xcc -DOTP_CONSTANT_TIME_CHECK" "$root/Scripts/libotp.sh"
      ;;
  esac > "$programs/build-$1.log" 2>&1
}

build_each() {
  local name
  for name in "$@"; do build "$name" || { cat "$programs/build-$name.log" >&2; return 1; }; done
}
build_each sanitized &
sanitized_build=$!
build_each plain races undefined || fail "the library does not build"
wait "$sanitized_build" || fail "the library does not build with sanitizers"
tail -n 1 "$programs/build-plain.log"
say "four builds"

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

# ---- The examples. ---------------------------------------------------------------------------------------------------

examples=$root/Examples
read -ra json <<< "$(pkg-config --cflags --libs jansson)"
c_sources=("$examples"/c/{vectors,codes,fields,texts,verifications}.c)
strict=(-pedantic -Wall -Wextra -Werror -I "$plain")
shared=(-L "$plain" -lotp "-Wl,-rpath,$plain")
mapfile -t files < <(find "$root/vectors" -name '*.json' ! -name schema.json | sort)
python3 count.py "${files[@]}" > "$programs/counts"
total=$(awk '{ sum += $2 } END { print sum }' "$programs/counts")

# ran PROGRAM KIND... : every vector passes, and of the kinds that it runs none is left out.
ran() {
  local program=$1 output expected
  shift
  output=$("$program" "${files[@]}") || { echo "$output" >&2; fail "$(basename "$program") fails"; }
  # Each kind's line, those of kinds not run with that remark.
  while read -r kind count; do
    [[ " $* " == *" $kind "* ]] || count+=", not run"
    grep -qFx "$kind $count" <<< "$output" || fail "$(basename "$program") does not say: $kind $count"
  done < "$programs/counts"
  expected=$(grep -E "^($(tr ' ' '|' <<< "$*")) " "$programs/counts" | awk '{ sum += $2 } END { print sum }')
  [ "$(tail -n 1 <<< "$output")" = "$expected passed, 0 failed" ] || fail "$(basename "$program"): not $expected passed"
  echo "$(basename "$program"): $(tail -n 1 <<< "$output")"
}

all_kinds=(hotp totp verify-hotp verify-totp base32 uri-parse uri-build)
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
  "$compiler" -std=c++17 "${strict[@]}" "$examples/cxx/vectors.cpp" "${shared[@]}" -o "$programs/cxx-$compiler"
  ran "$programs/cxx-$compiler" hotp totp verify-hotp verify-totp
done
# A runner that takes a wrong code for a right one, or passes over what it does not know, shows nothing.
sed 's/"code": "755224"/"code": "755225"/' "$root/vectors/rfc4226-hotp.json" > "$programs/wrong-code.json"
sed 's/"type": "hotp"/"type": "hopt"/' "$root/vectors/rfc4226-hotp.json" > "$programs/wrong-type.json"
sed 's/"id": 1,/"id": 1, "unknown": 1,/' "$root/vectors/rfc4226-hotp.json" > "$programs/wrong-field.json"
for wrong in code type field; do
  cmp -s "$programs/wrong-$wrong.json" "$root/vectors/rfc4226-hotp.json" && fail "the control $wrong changes nothing"
  for program in c-shared-clang cxx-clang++; do
    if "$programs/$program" "$programs/wrong-$wrong.json" > "$programs/control.log"; then
      fail "$program passes a wrong $wrong"
    fi
  done
done
say "vectors from C and C++"

# ---- What a caller can get wrong, and what a server does. ------------------------------------------------------------

quick=(arguments_keys arguments_verify arguments_batch arguments_texts leaks threads)
for program in "${quick[@]}" allocations processes; do
  clang -std=c11 "${strict[@]}" -O1 -g "$program.c" "${shared[@]}" -pthread -o "$programs/$program"
done
for program in "${quick[@]}" allocations; do "$programs/$program"; done
for mode in used tested fresh busy; do "$programs/processes" "$mode"; done
# First uses that race, each in a process of its own.
for ((i = 0; i < 20; i++)); do "$programs/threads" > /dev/null; done
clang -std=c11 "${strict[@]}" -O1 -g unload.c -pthread -o "$programs/unload"
"$programs/unload" "$plain/libotp.so.0"
say "as it is installed"

# ---- Address, leak and undefined-behaviour sanitizers, in the Swift as well; and a short fuzzing. --------------------

sanitizers=(-fuse-ld=lld -fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all)
for program in "${quick[@]}" processes; do
  clang -std=c11 "${strict[@]}" "${sanitizers[@]}" -O1 -g "$program.c" "$sanitized/libotp.a" -lcrypto -pthread \
    -o "$programs/$program-sanitized"
done
clang -std=c99 "${strict[@]}" "${sanitizers[@]}" -O1 -g "${c_sources[@]}" "$sanitized/libotp.a" -lcrypto "${json[@]}" \
  -o "$programs/c-sanitized"
for program in "${quick[@]}"; do "$programs/$program-sanitized" | sed 's/^/sanitized: /'; done
for mode in used busy; do "$programs/processes-sanitized" "$mode" | sed 's/^/sanitized: /'; done
ran "$programs/c-sanitized" "${all_kinds[@]}"
# Sanitizers that see nothing would show nothing: a read past a text, in the library's Swift, and a key that is lost.
for control in overread leak; do
  clang -std=c11 "${strict[@]}" "${sanitizers[@]}" -g controls.c "$sanitized/libotp.a" -lcrypto -o "$programs/controls"
  if "$programs/controls" "$control" > "$programs/control.log" 2>&1; then fail "no report of the planted $control"; fi
  grep -qE 'heap-buffer-overflow|detected memory leaks' "$programs/control.log" || fail "another report of $control"
done
runs=5000
mkdir "$programs/corpus"
"$sanitized/fuzz-libotp" -runs=$runs -seed=1 -artifact_prefix="$programs/" "$programs/corpus" \
  "$root/Fuzz/Corpus/libotp" > "$programs/fuzz.log" 2>&1 || {
  tail -n 40 "$programs/fuzz.log" >&2
  fail "the fuzzer found something"
}
say "sanitized"

# ---- Thread Sanitizer, in the Swift as well. The toolchain's needs libdispatch. --------------------------------------

runtime=$(dirname "$(readlink -f "$(command -v swiftc)")")/../lib/swift/linux
clang -fuse-ld=lld -std=c11 "${strict[@]}" -fsanitize=thread -O1 -g threads.c "$races/libotp.a" -lcrypto -pthread \
  -L "$runtime" -ldispatch -lBlocksRuntime "-Wl,-rpath,$runtime" -o "$programs/threads-tsan"
for ((i = 0; i < 3; i++)); do "$programs/threads-tsan" | sed 's/^/thread sanitizer: /'; done
say "races"

# ---- Secrets that memcheck takes for undefined. ----------------------------------------------------------------------

clang -std=c11 "${strict[@]}" -O1 secrets.c "$undefined"/objects/*.o -lcrypto -Wl,--wrap=otp_cpu_has_avx2 \
  -o "$programs/secrets-debug"
# valgrind 3.19 gives up on the debug information that Swift's toolchain writes; symbols are enough.
strip --strip-debug -o "$programs/secrets" "$programs/secrets-debug"
kernel_sets=(portable)
if grep -q avx2 /proc/cpuinfo; then kernel_sets+=(vectors); fi
for kernels in "${kernel_sets[@]}"; do
  valgrind --quiet --log-file="$programs/memcheck.log" "$programs/secrets" "$kernels" || {
    cat "$programs/memcheck.log" >&2
    fail "memcheck reports $kernels"
  }
done
say "undefined secrets"

echo "libotp: $total vectors counted, C and C++ ran theirs; arguments, allocations, leaks, threads, fork, unloading;" \
  "ASan, UBSan, TSan and $runs fuzzed inputs clean; no branch on a secret; $(stat -c %s "$plain/stripped") bytes stripped"
