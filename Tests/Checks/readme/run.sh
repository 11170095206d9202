#!/usr/bin/env bash
# Compiles the documentation's Swift, and runs complete programs: see blocks.py.
#
#   run.sh programs   README's, and the dependencies of a package that uses only the product OTP
#   run.sh articles   the articles'
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$(dirname "$0")/../../../Scripts/flavours.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
/usr/bin/python3 "$root/Tests/Checks/readme/blocks.py" "$root" "$work"

count=0
# expect PROGRAM EXPECTED: runs a program in an empty folder, and compares its output.
expect() {
  mkdir "$work/place"
  (cd "$work/place" && "$1") | diff "$2" -
  rm -rf "$work/place"
  count=$((count + 1))
}

# swift_package NAME FLAVOUR...: builds a package and runs its programs.
swift_package() {
  local package=$work/$1 bin expected
  shift
  swift_build --package-path "$package" "$@"
  bin=$(swift_build --package-path "$package" "$@" --show-bin-path)
  for expected in "$package"/*.expected; do expect "$bin/$(basename "$expected" .expected)" "$expected"; done
}

case ${1:-} in
  programs)
    swift_package plain-engine "${flavour_bare[@]}"
    swift_package plain-readme "${flavour_bare[@]}"
    # Without README's traits, these bring no other Swift package, and of shared libraries libcrypto, but neither libssl nor
    # Foundation: `OTP` in the one, also FactorRecord and Keyring in the other.
    ! compgen -G "$work/plain-*/Package.resolved" || { echo "readme: other packages were resolved" >&2; exit 1; }
    for program in Engine Readme; do
      libraries=$(ldd "$root/.build-bare/release/$program" | awk '{print $1}' | xargs)
      if [[ $libraries != *libcrypto* || $libraries =~ libssl|Foundation ]]; then
        echo "readme: $program needs $libraries" >&2
        exit 1
      fi
    done
    swift_package traits-layer "${flavour_client[@]}"
    # With TOTP and SQLite only: no phone code.
    symbols=$(nm "$(swift_build --package-path "$work/traits-layer" "${flavour_client[@]}" --show-bin-path)/Layer")
    case $symbols in *11MultiFactor*) ;; *) echo "readme: MultiFactor is not linked" >&2; exit 1 ;; esac
    case $symbols in *16MultiFactorPhone*) echo "readme: phone code is linked" >&2; exit 1 ;; esac
    echo "readme: $count programs printed what they say; OTP, FactorRecord and Keyring need no other package, and $libraries"
    ;;
  articles)
    swift_package traits-articles "${flavour_client[@]}"
    echo "articles: $count programs printed what they say"
    ;;
  *) echo "usage: $0 programs|articles" >&2; exit 64 ;;
esac
