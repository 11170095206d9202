#!/usr/bin/env bash
# libotp under dynamic checkers: no stack is overrun; Address, Leak, Undefined Behavior and Thread Sanitizer, a fuzzer
# and memcheck (branches on secrets) report nothing. Planted faults must be reported.
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "$0")/common.sh"

# ---- The stack that it takes, as installed. ---------------------------------------------------------------------------

"$root/LibOTP/build.sh"
./stack.sh "$plain" "$programs"
say "stacks"

# ---- A build of the library for each checker. -------------------------------------------------------------------------

sanitized=$root/.build-libotp-asan
races=$root/.build-libotp-tsan
undefined=$root/.build-libotp-checks

# Builds one of them, with a log.
build() {
  case $1 in
    sanitized) "$root/Tests/Fuzz/LibOTP/build.sh" .build-libotp-asan ;;
    races)
      OTP_LIBOTP_BUILD=.build-libotp-tsan OTP_LIBOTP_CFLAGS="-g -fsanitize=thread" \
        OTP_LIBOTP_SWIFTFLAGS="-sanitize=thread" OTP_LIBOTP_LDFLAGS=-Wl,--unresolved-symbols=ignore-all \
        "$root/LibOTP/build.sh"
      ;;
    undefined)
      OTP_LIBOTP_BUILD=.build-libotp-checks OTP_LIBOTP_CFLAGS=-DOTP_CHECKS OTP_LIBOTP_SWIFTFLAGS="-Xcc -DOTP_CHECKS" \
        "$root/LibOTP/build.sh"
      ;;
  esac > "$programs/build-$1.log" 2>&1 || { cat "$programs/build-$1.log" >&2; return 1; }
}
build sanitized &
sanitized_build=$!
{ build races && build undefined; } || fail "the library does not build"
wait "$sanitized_build" || fail "the library does not build with sanitizers"
say "three builds"

# ---- Address, leak and undefined-behavior sanitizers, in the Swift as well; and a short fuzzing. --------------------

sanitizers=(-fuse-ld=lld -fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all)
for program in "${quick[@]}" processes; do
  clang -std=c11 "${strict[@]}" "${sanitizers[@]}" -O1 -g "$program.c" "$sanitized/libotp.a" -lcrypto -pthread \
    -o "$programs/$program-sanitized"
done
clang -std=c99 "${strict[@]}" "${sanitizers[@]}" -O1 -g "$adapter.c" "$sanitized/libotp.a" -lcrypto -o "$programs/c-sanitized"
for program in "${quick[@]}"; do "$programs/$program-sanitized" | sed 's/^/sanitized: /'; done
"$programs/processes-sanitized" busy | sed 's/^/sanitized: /'
exact "$programs/c-sanitized"
# The controls, which the sanitizers must report: a read past a text's end in the library's Swift, and a leaked key.
for control in overread leak; do
  clang -std=c11 "${strict[@]}" "${sanitizers[@]}" -g controls.c "$sanitized/libotp.a" -lcrypto -o "$programs/controls"
  if "$programs/controls" "$control" > "$programs/control.log" 2>&1; then fail "the planted $control was not reported"; fi
  grep -qE 'heap-buffer-overflow|detected memory leaks' "$programs/control.log" || fail "the planted $control has an unexpected report"
done
runs=5000
mkdir "$programs/corpus"
"$root/Tests/Fuzz/expand.py" libotp "$programs/seeds"
"$sanitized/fuzz-libotp" -runs=$runs -seed=1 -artifact_prefix="$programs/" "$programs/corpus" \
  "$programs/seeds" > "$programs/fuzz.log" 2>&1 || {
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

# ---- Secrets marked undefined for memcheck. --------------------------------------------------------------------------

clang -std=c11 "${strict[@]}" -O1 secrets.c "$undefined"/objects/*.o -lcrypto \
  -Wl,--gc-sections,--wrap=otp_cpu_has_avx2 \
  -o "$programs/secrets-debug"
# valgrind 3.19 cannot read the debug information that Swift's toolchain writes; symbols are enough.
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

echo "libotp-watched: ASan, UBSan, LSan, TSan and $runs fuzzed inputs clean; no branch on a secret"
