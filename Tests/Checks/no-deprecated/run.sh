#!/usr/bin/env bash
# Builds and tests the package as against an OpenSSL that lacks the functions deprecated in version 3, and checks that
# the built code refers to none of them. No trait is on: so this also shows that all but the SQLite store and the logs
# works without any other Swift package.
set -euo pipefail
cd "$(dirname "$0")/../../.."
build=.build-no-deprecated
deprecated='SHA(1|256|512)_|HMAC_|RAND_set'

# What a build with traits pinned would be fetched here as well.
mkdir -p "$build"
if [ -f Package.resolved ]; then
  mv Package.resolved "$build/Package.resolved"
  trap 'mv "$build/Package.resolved" Package.resolved' EXIT
fi
swift test --scratch-path "$build" -Xcc -DOPENSSL_NO_DEPRECATED

if [ -n "$(ls -A "$build/checkouts" 2> /dev/null)" ]; then
  echo "no-deprecated: other Swift packages were resolved: $(ls "$build/checkouts")" >&2
  exit 1
fi

undefined() { nm --undefined-only "$1"/debug/COTPKernels.build/*.o; }
if undefined "$build" | grep -E "$deprecated"; then
  echo "no-deprecated: deprecated functions are used" >&2
  exit 1
fi
# The same look at a usual build must find them, or it shows nothing.
swift build --target COTPKernels
undefined .build | grep -E "$deprecated" > /dev/null
echo "no-deprecated: no deprecated function and no other package is used"
