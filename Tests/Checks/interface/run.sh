#!/usr/bin/env bash
# The public Swift interface: it must be the one in record.txt, documented in one site without a warning, and other
# packages must compile against it: the articles' Swift, switches, and, with a message
# that says why not, what needs a trait that is off.
#
#   run.sh             prints what was added, altered or removed since the record; fails if anything was
#   run.sh --record    prints the same, and records it
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$(dirname "$0")/../../../Scripts/flavours.sh"
cd "$root/Tests/Checks/interface"
build=$root/.build-interface
rm -rf "$build"
mkdir -p "$build"
"$root/Scripts/symbols.sh" "$build/symbols"
python3 interface.py "$build/symbols" record.txt "$@"

fail() {
  echo "interface: $*" >&2
  exit 1
}

# A spoiled record must be noticed: a type added, one altered, and one removed.
sed -e '/^OTP Base32 /d' -e 's/^OTP HOTP \S* code /OTP HOTP 00000000 gone /' -e '1iOTP Gone 00000000 init' record.txt > "$build/spoiled"
if found=$(python3 interface.py "$build/symbols" "$build/spoiled" 2> /dev/null); then fail "a spoiled record passes"; fi
for change in "added OTP Base32 +decode +encode" "altered OTP HOTP -gone +code" "removed OTP Gone -init"; do
  grep -qxF "$change" <<< "$found" || fail "not reported: $change"
done

# Compiles a program as another package would: against the modules with all traits, except those in preceding flags.
compile() {
  local program=$1
  shift
  swiftc -typecheck -swift-version 6 -warnings-as-errors "$@" "@$build/symbols/flags" "clients/$program.swift" 2>&1
}

# A program that the compiler must refuse, with the messages on the program's first lines.
refuse() {
  local expected output
  if output=$(compile "$@"); then fail "$1 compiles"; fi
  while read -r expected; do
    grep -qF "$expected" <<< "$output" || fail "$1 is refused without '$expected': $output"
  done < <(sed -n 's|^// says: ||p' "clients/$1.swift")
  if grep -E ':[0-9]+: error: ' <<< "$output" | grep -qvE 'unavailable|may have additional'; then
    fail "$1 is refused for more than that: $output"
  fi
}

compile switches || fail "a switch that should compile does not"
refuse no-default

# A package that enables no trait.
mkdir -p "$build/client/Sources/Client"
cat > "$build/client/Package.swift" << PACKAGE
// swift-tools-version: 6.2
import PackageDescription
let package = Package(
  name: "Client",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "swift-otp", path: "$root")],
  targets: [.target(name: "Client", dependencies: ["MultiFactorObservability", "MultiFactorSQLite", "MultiFactorPostgreSQL"].map { .product(name: \$0, package: "swift-otp") })]
)
PACKAGE
printf 'import MultiFactorObservability\nimport MultiFactorSQLite\nimport MultiFactorPostgreSQL\n' > "$build/client/Sources/Client/Client.swift"
swift_build --package-path "$build/client" "${flavour_bare[@]}"
modules=$(swift_build --package-path "$build/client" "${flavour_bare[@]}" --show-bin-path)/Modules
refuse no-traits -I "$modules"
"$root/Scripts/docs.sh" "$build/symbols"
"$root/Tests/Checks/readme/run.sh" articles
echo "interface: as recorded; documented in one site; the articles compile; a trait that is off is named, and a switch that could miss a case is refused"
