# The builds that several checks share: a scratch path for each, with its flags. SwiftPM compiles a module again only if
# its flags differ, even for another package.
# shellcheck shell=bash
# Each script uses only some of these.
# shellcheck disable=SC2034
#
# Debug information takes a seventh of a build's time: tests have none, and sanitizers only line numbers.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The root package's tests with all traits. (-Werror must not be the last flag: SwiftPM 6.3 takes it for a swiftc flag
# with a value, and fails if there is an external dependency.)
flavour_test=(--scratch-path "$root/.build-test" -Xswiftc -gnone -Xswiftc -warnings-as-errors -Xcc -Werror -Xcc -Wall -Xcc -Wextra)
# No trait, and so no external package.
flavour_bare=(--scratch-path "$root/.build-bare" -Xswiftc -gnone)
# The same, as for an OpenSSL without the functions deprecated in version 3.
flavour_no_deprecated=(--scratch-path "$root/.build-no-deprecated" -Xswiftc -gnone -Xcc -DOPENSSL_NO_DEPRECATED)
# The tests of the tool and of the benchmark.
flavour_debug=(--scratch-path "$root/.build-debug" -Xswiftc -gnone)
# The programs that use Hummingbird.
flavour_servers=(--scratch-path "$root/.build-servers" -Xswiftc -gnone)
# As users build: the tool, the benchmark, and the programs of Tests/Checks.
flavour_release=(--scratch-path "$root/.build-release" -c release)
# The same programs, with support for planted faults (otp_planted.h).
flavour_checks=(--scratch-path "$root/.build-checks" -c release -Xcc -DOTP_CHECKS)
# swiftc has no UndefinedBehaviorSanitizer here, so it covers only the C, with AddressSanitizer's runtime.
flavour_asan=(--scratch-path "$root/.build-asan" -Xswiftc -gline-tables-only --sanitize=address -Xcc -fsanitize=undefined
  -Xcc -fno-sanitize-recover=all -Xcc "-fsanitize-ignorelist=$root/Fuzz/LibOTP/ignored.txt")
flavour_tsan=(--scratch-path "$root/.build-tsan" -Xswiftc -gline-tables-only --sanitize=thread)

# SwiftPM 6.3 orders the definitions of several traits differently in each process, and would therefore compile
# everything again.
swift_build() { SWIFT_DETERMINISTIC_HASHING=1 swift build "$@"; }

# Tests run in parallel, and each can have stores and their files open, so not too many may run at once. (Foundation's
# Process reads out of bounds in a program with about 1,360 open files.)
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=48

# Builds and runs a package's tests.
swift_test() {
  swift_build --build-tests "$@"
  swift test --skip-build "$@"
}
