#!/usr/bin/env bash
# libotp under dynamic checkers: no stack is overrun; Address, Leak, Undefined Behavior and Thread Sanitizer and a fuzzer
# report nothing. Planted faults must be reported.
# shellcheck source-path=SCRIPTDIR source=common.sh
source "$(dirname "$0")/common.sh"

# ---- The stack that it takes, as installed. ---------------------------------------------------------------------------

"$root/LibOTP/build.sh"
./stack.sh "$plain" "$programs"
say "stacks"

# ---- A build of the library for each checker. -------------------------------------------------------------------------

sanitized=$root/.build-libotp-asan
races=$root/.build-libotp-tsan

# quietly LOG COMMAND...: prints what a build says only if it fails.
quietly() { "${@:2}" > "$programs/$1" 2>&1 || { cat "$programs/$1" >&2; fail "the library does not build"; }; }
quietly sanitized.log "$root/Tests/Fuzz/LibOTP/build.sh" .build-libotp-asan &
OTP_LIBOTP_BUILD=.build-libotp-tsan OTP_LIBOTP_CFLAGS="-g -fsanitize=thread" \
  OTP_LIBOTP_SWIFTFLAGS="-sanitize=thread" OTP_LIBOTP_LDFLAGS=-Wl,--unresolved-symbols=ignore-all \
  quietly races.log "$root/LibOTP/build.sh"
wait $!
say "two builds"

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

echo "libotp-watched: ASan, UBSan, LSan, TSan and $runs fuzzed inputs clean"
