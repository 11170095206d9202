#!/usr/bin/env bash
# With as little around it as possible: the engine, the keyring and records as Embedded Swift, in a program without a
# Swift runtime; and all tests for an OpenSSL without the functions deprecated in version 3, to none of which the built
# code refers. No trait is enabled, so everything except the stores on SQLite and PostgreSQL and the logs works without
# any other Swift package.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$(dirname "$0")/../../../Scripts/flavours.sh"
cd "$root"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Embedded, as in libotp.
LibOTP/build.sh
read -ra crypto_libs <<< "$(pkg-config --libs libcrypto)"
# Without the C interface.
mapfile -t objects < <(find .build-libotp/objects -name '*.o' ! -name LibOTP.o | sort)
swiftc -enable-experimental-feature Embedded -wmo -O -swift-version 6 -strict-memory-safety -warnings-as-errors \
  -package-name swift-otp -parse-as-library -I Sources/COTPSupport/include -I Sources/CLibcrypto -I .build-libotp \
  Tests/Checks/bare/main.swift "${objects[@]}" "${crypto_libs[@]}" -Xlinker --gc-sections -o "$work/embedded-check"
output=$("$work/embedded-check")
echo "$output"
[ "$output" = "embedded: 4 passed" ]
libraries=$(ldd "$work/embedded-check")
strip "$work/embedded-check"
echo "embedded: $(stat -c %s "$work/embedded-check") bytes stripped; needs $(echo "$libraries" | awk '{print $1}' | xargs)"
if echo "$libraries" | grep -qi swift; then
  echo "embedded: the program needs a Swift runtime library" >&2
  exit 1
fi

# Without deprecated functions.
build=.build-no-deprecated/release
deprecated='SHA(1|256|512)_|HMAC_|RAND_set'
swift_test "${flavour_no_deprecated[@]}"
# Packages pinned by another build's traits may be fetched, but must not be built.
for module in "$build"/*.build; do
  name=$(basename "$module" .build)
  if [ ! -d "Sources/$name" ] && [ ! -d "Tests/$name" ] && [[ $name != *PackageTests && $name != *DiscoveredTests ]]; then
    echo "bare: $name was built" >&2
    exit 1
  fi
done
undefined() { find "$1/COTPSupport.build" -name '*.o' -exec nm --undefined-only {} +; }
if undefined "$build" | grep -E "$deprecated"; then
  echo "bare: deprecated functions are used" >&2
  exit 1
fi
# The control: in a usual build the same search must find them.
swift_build "${flavour_test[@]}" --enable-all-traits --target COTPSupport
undefined .build-test/release | grep -E "$deprecated" > /dev/null
echo "bare: no Swift runtime, deprecated function or other package is needed"
