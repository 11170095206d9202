#!/usr/bin/env bash
# Runs the tests under AddressSanitizer, with LeakSanitizer at the end.
set -euo pipefail
cd "$(dirname "$0")/../../.."

export LSAN_OPTIONS="suppressions=$PWD/Tests/Checks/asan/lsan.supp:print_suppressions=0"
swift test --scratch-path .build-asan --enable-all-traits --sanitize=address
