#!/usr/bin/env bash
# Builds and tests the package as against an OpenSSL that lacks the functions deprecated in version 3, and checks that
# the built code refers to none of them. No trait is on: so this also shows that all but the SQLite store and the logs
# works without any other Swift package.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$(dirname "$0")/../../../Scripts/flavours.sh"
cd "$root"
deprecated='SHA(1|256|512)_|HMAC_|RAND_set'

# The traits are pinned with the packages: what another build has pinned would be fetched here as well.
if [ -f Package.resolved ]; then
  pinned=$(mktemp)
  mv Package.resolved "$pinned"
  trap 'mv "$pinned" Package.resolved' EXIT
fi
swift_test "${flavour_bare[@]}"

if [ -n "$(ls -A .build-bare/checkouts 2> /dev/null)" ]; then
  echo "bare: other Swift packages were resolved: $(ls .build-bare/checkouts)" >&2
  exit 1
fi

undefined() { nm --undefined-only "$1"/COTPKernels.build/*.o; }
if undefined .build-bare/debug | grep -E "$deprecated"; then
  echo "bare: deprecated functions are used" >&2
  exit 1
fi
# The same look at a usual build must find them, or it shows nothing.
swift_build "${flavour_test[@]}" --enable-all-traits --target COTPKernels
undefined .build-test/debug | grep -E "$deprecated" > /dev/null
echo "bare: no deprecated function and no other package is used"
