#!/usr/bin/env bash
# Builds and tests the engine as against an OpenSSL that lacks the functions deprecated in version 3, and checks that
# the built code refers to none of them.
set -euo pipefail
cd "$(dirname "$0")/../../.."
build=.build-no-deprecated

swift test --scratch-path "$build" -Xcc -DOPENSSL_NO_DEPRECATED
objects=("$build"/debug/COTPKernels.build/*.o)
if nm --undefined-only "${objects[@]}" | grep -E 'SHA(1|256|512)_|HMAC_|RAND_set'; then
  echo "no-deprecated: deprecated functions are used" >&2
  exit 1
fi
echo "no-deprecated: no deprecated function is used"
