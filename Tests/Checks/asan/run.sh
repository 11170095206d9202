#!/usr/bin/env bash
# Builds the tests with warnings as errors, and runs them, and the fuzzers on their corpus and its mutations, under
# AddressSanitizer and, for the C, UndefinedBehaviorSanitizer, with LeakSanitizer at the end. Not the random walks, whose
# operations are those of the other tests.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$(dirname "$0")/../../../Scripts/flavours.sh"
export ASAN_OPTIONS="suppressions=$root/Tests/Checks/asan/asan.supp"
export LSAN_OPTIONS="suppressions=$root/Tests/Checks/asan/lsan.supp:print_suppressions=0"
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
swift_build --build-tests --package-path "$root" "${flavour_asan[@]}" --enable-all-traits
POSTGRESQL_OPTIONS="-c fsync=off" "$root/Scripts/postgresql.sh" \
  swift test --skip-build --package-path "$root" "${flavour_asan[@]}" --enable-all-traits --skip RuleModelTests
swift_test --package-path "$root/Tests/Fuzz" "${flavour_asan[@]}"
for name in asan ubsan; do
  if ! nm --undefined-only "$root"/.build-asan/release/COTPSupport.build/*.o | grep "__${name}_" > /dev/null; then
    echo "asan: the C was not built with $name" >&2
    exit 1
  fi
done
