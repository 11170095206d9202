#!/usr/bin/env bash
# Runs the tests of a package: of the library with all traits, or of `tool`; or only what compares the rules with a second
# statement of them (`walks`): every run of three actions on a record, and 120,000 random actions on accounts, others on
# each day (WALKS=… sets another number of walks of 60, SEED=… the first).
#
#   Scripts/unit.sh library --filter ExplainTests      only some, with any options of `swift test`
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=flavours.sh
source "$(dirname "$0")/flavours.sh"
what=${1:-library}
[ $# -eq 0 ] || shift
case $what in
  library)
    swift_build --build-tests --package-path "$root" "${flavour_test[@]}" --enable-all-traits
    # The PostgreSQL store's tests need a server. fsync is off, since none of them is about a loss of power.
    server=()
    [ -n "${OTP_POSTGRESQL:-}" ] || server=("$root/Scripts/postgresql.sh")
    tests=(swift test --skip-build --package-path "$root" "${flavour_test[@]}" --enable-all-traits)
    # SwiftPM plans a build for seconds, even if it is to skip it.
    [ -z "${OTP_BUILT:-}" ] || tests=("$root/.build-test/release/"*.xctest --testing-library swift-testing)
    POSTGRESQL_OPTIONS="-c fsync=off" "${server[@]}" "${tests[@]}" "$@"
    ;;
  walks)
    "$root/Tests/Checks/every-run/run.sh"
    walks=${WALKS:-2000}
    day=$(($(date +%s) / 86400))
    SEED=${SEED:-$((day * walks))} WALKS=$walks "$0" library --filter RuleModelTests
    ;;
  tool)
    swift_build --build-tests --package-path "$root/Tool" "${flavour_client[@]}"
    # The tool refuses a server whose fsync is off.
    "$root/Scripts/postgresql.sh" \
      swift test --skip-build --package-path "$root/Tool" "${flavour_client[@]}" "$@"
    ;;
  *) echo "usage: $0 [library|walks|tool] [OPTION...]" >&2; exit 64 ;;
esac
