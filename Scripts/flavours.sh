# The builds that several checks share: a scratch path for each, with its flags. SwiftPM compiles a module again only if
# its flags differ, even for another package.
# shellcheck shell=bash
# Each script uses only some of these.
# shellcheck disable=SC2034
#
# Tests need neither optimization, which takes as long as they do, nor debug information, a seventh of a build. They are
# still built in SwiftPM's release configuration: it compiles each module as a whole, which halves the work, and does not
# define DEBUG, with which ArgumentParser validates every command at each start and takes five times as long.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source-path=SCRIPTDIR source=toolchain.sh
source "$root/Scripts/toolchain.sh"
unoptimized=(-c release -Xswiftc -Onone -Xswiftc -enable-testing)

# The root package's tests with all traits.
flavour_test=(--scratch-path "$root/.build-test" "${unoptimized[@]}" -Xswiftc -gnone)
# No trait, and so no external package.
flavour_bare=(--scratch-path "$root/.build-bare" "${unoptimized[@]}" -Xswiftc -gnone)
# What depends on the root package: the tool's tests, the programs in the documentation. (Apart from the
# root's own tests, since SwiftPM compiles a package with other flags as a dependency.)
flavour_client=(--scratch-path "$root/.build-client" "${unoptimized[@]}" -Xswiftc -gnone)
# The programs that use Hummingbird.
flavour_servers=(--scratch-path "$root/.build-servers" "${unoptimized[@]}" -Xswiftc -gnone)
# As users build: the tool, the benchmark, and the programs of Tests/Checks. Without a toolchain they still run.
flavour_release=(--scratch-path "$root/.build-release" -c release --static-swift-stdlib)
# The tool, with libstdc++ linked into it, which takes as long to load as Swift. The linker takes the archive only from a
# folder that lacks the shared library, which swift_build makes.
static_libstdcxx=(-Xlinker "-L$root/.build-libstdc++")
flavour_tool=("${flavour_release[@]}" "${static_libstdcxx[@]}")
# The same programs, with support for planted faults (otp_planted.h).
flavour_checks=(--scratch-path "$root/.build-checks" -c release -Xcc -DOTP_CHECKS)
# The tool as LibOTP/packaging/packages.sh builds it, at a path of its own.
flavour_packages=(--scratch-path "$root/.build-tool" -c release --static-swift-stdlib "${static_libstdcxx[@]}"
  --disable-local-rpath -Xlinker -z -Xlinker now)
# swiftc has no UndefinedBehaviorSanitizer here, so it covers only the C, with AddressSanitizer's runtime. Here warnings
# are errors, since a planted fault, which shares the build of the tests, may warn. (-Werror must not be the last flag:
# SwiftPM 6.3 takes it for a swiftc flag with a value, and fails if there is an external dependency.)
flavour_asan=(--scratch-path "$root/.build-asan" "${unoptimized[@]}" -Xswiftc -gline-tables-only
  -Xswiftc -warnings-as-errors -Xcc -Werror -Xcc -Wall -Xcc -Wextra --sanitize=address -Xcc -fsanitize=undefined
  -Xcc -fno-sanitize-recover=all -Xcc "-fsanitize-ignorelist=$root/Tests/Fuzz/LibOTP/ignored.txt")
flavour_tsan=(--scratch-path "$root/.build-tsan" "${unoptimized[@]}" -Xswiftc -gline-tables-only --sanitize=thread)

# SwiftPM 6.3 orders the definitions of several traits differently in each process, and would therefore compile
# everything again.
swift_build() {
  # One build can serve many planted faults.
  if [ -n "${OTP_BUILT:-}" ] && [[ " $* " != *" --show-bin-path "* ]]; then return; fi
  mkdir -p "$root/.build-libstdc++"
  ln -sf "$(clang -print-file-name=libstdc++.a)" "$root/.build-libstdc++"
  SWIFT_DETERMINISTIC_HASHING=1 swift build ${OTP_BUILT:+--ignore-lock} "$@"
}

# Tests run in parallel, and each can have stores and their files open, so not too many may run at once. (Foundation's
# Process reads out of bounds in a program with about 1,360 open files.)
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=48
# Otherwise Swift Testing records where each error was thrown, and searches all of these records at each test's start: a
# quarter of the tests' time.
export SWT_SWIFT_ERROR_BACKTRACING_ENABLED=0

# Builds and runs a package's tests.
swift_test() {
  swift_build --build-tests "$@"
  swift test --skip-build "$@"
}
