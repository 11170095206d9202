#!/usr/bin/env bash
# Writes the symbol graph of each public module (those that have a DocC catalog) into OUT/MODULE, as compiled with all
# traits: what the documentation and the record of the public interface are made from. OUT/flags has the flags by which
# swiftc finds the modules.
#
#   Scripts/symbols.sh OUT
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=flavours.sh
source "$(dirname "$0")/flavours.sh"
out=$1
cd "$root"

# What the unit tests compile too: after them, nothing is left to do here.
build=(--package-path "$root" "${flavour_test[@]}" --enable-all-traits)
swift_build "${build[@]}"

# The C modules that the Swift ones import, also those that no reader of their interface sees.
flags=(-I "$(swift_build "${build[@]}" --show-bin-path)/Modules")
for flag in $(pkg-config --cflags-only-I libpq); do flags+=(-Xcc "$flag"); done
for map in "$root"/Sources/{CLibcrypto,CLibpq,COTPSupport/include} "$root"/.build-test/checkouts/*/Sources/*; do
  if [ -e "$map/module.modulemap" ]; then flags+=(-Xcc "-fmodule-map-file=$map/module.modulemap"); fi
done

rm -rf "$out"
mkdir -p "$out"
printf '%s\n' "${flags[@]}" > "$out/flags"
for catalog in Sources/*/*.docc; do
  module=$(basename "$catalog" .docc)
  mkdir -p "$out/$module"
  # MultiFactor's readers meet the keyring as a part of it.
  swift-symbolgraph-extract -module-name "$module" "${flags[@]}" -minimum-access-level public \
    -experimental-allowed-reexported-modules=Keyring -output-dir "$out/$module"
done
