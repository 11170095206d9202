# The builds that several checks share: each a scratch path with the flags that belong to it. SwiftPM compiles a module
# again only if its flags differ, whichever package it builds it for.
# shellcheck shell=bash
# Each script uses some of them.
# shellcheck disable=SC2034
#
# Debug information takes a seventh of a build: tests have none, and sanitizers line numbers only.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The root package's tests with all traits. (-Werror is not the last of the flags, since SwiftPM 6.3 takes it for one of
# swiftc's that wants a value, and stops if a dependency comes from outside.)
flavour_test=(--scratch-path "$root/.build-test" -Xswiftc -gnone -Xswiftc -warnings-as-errors -Xcc -Werror -Xcc -Wall -Xcc -Wextra)
# No trait, hence no package from elsewhere.
flavour_bare=(--scratch-path "$root/.build-bare" -Xswiftc -gnone)
# The same, as with an OpenSSL without the functions deprecated in version 3.
flavour_no_deprecated=(--scratch-path "$root/.build-no-deprecated" -Xswiftc -gnone -Xcc -DOPENSSL_NO_DEPRECATED)
# The tests of the tool and of the benchmark.
flavour_debug=(--scratch-path "$root/.build-debug" -Xswiftc -gnone)
# What is built on Hummingbird.
flavour_servers=(--scratch-path "$root/.build-servers" -Xswiftc -gnone)
# As users build: the tool, the benchmark, and the programs of Tests/Checks.
flavour_release=(--scratch-path "$root/.build-release" -c release)
# The same programs with faults that can be planted (otp_planted.h).
flavour_checks=(--scratch-path "$root/.build-checks" -c release -Xcc -DOTP_CHECKS)
# swiftc has no UndefinedBehaviorSanitizer here: it watches the C, by AddressSanitizer's runtime.
flavour_asan=(--scratch-path "$root/.build-asan" -Xswiftc -gline-tables-only --sanitize=address -Xcc -fsanitize=undefined
  -Xcc -fno-sanitize-recover=all -Xcc "-fsanitize-ignorelist=$root/Fuzz/LibOTP/ignored.txt")
flavour_tsan=(--scratch-path "$root/.build-tsan" -Xswiftc -gline-tables-only --sanitize=thread)

# SwiftPM 6.3 writes the definitions of several traits in the order of a set, another in each process, and would compile
# everything again for that.
swift_build() { SWIFT_DETERMINISTIC_HASHING=1 swift build "$@"; }

# Tests run side by side, and each can have stores and their files open: not all of them at once. (Foundation's Process
# reads beyond its memory in a program that has some 1,360 files open.)
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=48

# Builds a package's tests, and runs them.
swift_test() {
  swift_build --build-tests "$@"
  swift test --skip-build "$@"
}
