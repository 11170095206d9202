#!/usr/bin/env bash
# Builds and tests the package as against an OpenSSL that lacks the functions deprecated in version 3, and checks that
# the built code refers to none of them. No trait is on: so this also shows that all but the SQLite store and the logs
# works without any other Swift package.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$(dirname "$0")/../../../Scripts/flavours.sh"
cd "$root"
deprecated='SHA(1|256|512)_|HMAC_|RAND_set'

swift_test "${flavour_bare[@]}"

# Packages that another build's traits have pinned may be fetched, but nothing of them is built.
for package in GRDB Logging Metrics; do
  if [ -e ".build-bare/debug/$package.build" ]; then
    echo "bare: $package was built" >&2
    exit 1
  fi
done

undefined() { nm --undefined-only "$1"/COTPKernels.build/*.o; }
if undefined .build-bare/debug | grep -E "$deprecated"; then
  echo "bare: deprecated functions are used" >&2
  exit 1
fi
# The same look at a usual build must find them, or it shows nothing.
swift_build "${flavour_test[@]}" --enable-all-traits --target COTPKernels
undefined .build-test/debug | grep -E "$deprecated" > /dev/null
echo "bare: no deprecated function and no other package is used"
