#!/usr/bin/env bash
# Writes the symbol graph of each public module (Package.swift's libraries), compiled with all traits, into OUT/MODULE,
# for the documentation and the record of the public interface. OUT/flags has the flags with which swiftc finds the
# modules.
#
#   Scripts/symbols.sh OUT
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=flavours.sh
source "$(dirname "$0")/flavours.sh"
out=$1
cd "$root"

# The unit tests' build: after them, nothing needs compiling here.
build=(--package-path "$root" "${flavour_test[@]}" --enable-all-traits)
swift_build "${build[@]}"

# The C modules that the Swift ones import, including those that their interface does not expose.
flags=(-I "$(swift_build "${build[@]}" --show-bin-path)/Modules")
for flag in $(pkg-config --cflags-only-I libpq); do flags+=(-Xcc "$flag"); done
for map in "$root"/Sources/*/{CLibcrypto,CLibpq,COTPSupport/include} "$root"/.build-test/checkouts/*/Sources/*; do
  if [ -e "$map/module.modulemap" ]; then flags+=(-Xcc "-fmodule-map-file=$map/module.modulemap"); fi
done

rm -rf "$out"
mkdir -p "$out"
printf '%s\n' "${flags[@]}" > "$out/flags"
mapfile -t modules < <(sed -n 's/^ *\.library(name: "\([A-Z][A-Za-z]*\)".*/\1/p' Package.swift)
for module in "${modules[@]}"; do
  mkdir -p "$out/$module"
  # For MultiFactor's users the keyring is a part of it.
  swift-symbolgraph-extract -module-name "$module" "${flags[@]}" -minimum-access-level public \
    -experimental-allowed-reexported-modules=Keyring -output-dir "$out/$module"
done
