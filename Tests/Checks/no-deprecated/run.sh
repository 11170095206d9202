#!/usr/bin/env bash
# Builds and tests the package as for an OpenSSL without the functions deprecated in version 3, and checks that the
# built code refers to none of them. No trait is enabled, so this also shows that everything except the stores on SQLite
# and PostgreSQL and the logs works without any other Swift package.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$(dirname "$0")/../../../Scripts/flavours.sh"
cd "$root"
build=.build-no-deprecated/release
deprecated='SHA(1|256|512)_|HMAC_|RAND_set'

swift_test "${flavour_no_deprecated[@]}"

# Packages pinned by another build's traits may be fetched, but must not be built.
for module in "$build"/*.build; do
  name=$(basename "$module" .build)
  if [ ! -d "Sources/$name" ] && [ ! -d "Tests/$name" ] && [[ $name != *PackageTests && $name != *DiscoveredTests ]]; then
    echo "no-deprecated: $name was built" >&2
    exit 1
  fi
done

undefined() { find "$1/COTPSupport.build" -name '*.o' -exec nm --undefined-only {} +; }
if undefined "$build" | grep -E "$deprecated"; then
  echo "no-deprecated: deprecated functions are used" >&2
  exit 1
fi
# The control: in a usual build the same search must find them.
swift_build "${flavour_test[@]}" --enable-all-traits --target COTPSupport
undefined .build-test/release | grep -E "$deprecated" > /dev/null
echo "no-deprecated: no deprecated function and no other package is used"
