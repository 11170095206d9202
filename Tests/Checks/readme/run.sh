#!/usr/bin/env bash
# Compiles the documentation's Swift and C, and runs complete programs: see blocks.py.
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
layers=0
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
    # What README's manifest brings without its traits, for `OTP`: no other Swift package, and of shared libraries libcrypto, but neither
    # libssl nor Foundation.
    if [ -e "$work/plain-engine/Package.resolved" ]; then
      echo "readme: other Swift packages were resolved" >&2
      exit 1
    fi
    libraries=$(ldd "$root/.build-bare/release/Program0" | awk '{print $1}' | xargs)
    case $libraries in *libcrypto*) ;; *) echo "readme: libcrypto is not linked" >&2; exit 1 ;; esac
    case $libraries in
      *libssl* | *Foundation*) echo "readme: more is linked than should be: $libraries" >&2; exit 1 ;;
    esac

    "$root/Scripts/libotp.sh"
    library=$root/.build-libotp
    for program in "$work"/c/*.c; do
      clang -std=c99 -pedantic -Wall -Wextra -Werror -I "$library" "$program" -L "$library" -lotp \
        -Wl,-rpath,"$library" -o "${program%.c}"
      expect "${program%.c}" "${program%.c}.expected"
    done
    swift_package traits-layer "${flavour_client[@]}"
    # With TOTP and SQLite only: no phone code.
    for program in "$(swift_build --package-path "$work/traits-layer" "${flavour_client[@]}" --show-bin-path)"/Program[0-9]; do
      symbols=$(nm "$program")
      case $symbols in *11MultiFactor*) ;; *) continue ;; esac
      layers=$((layers + 1))
      case $symbols in *16MultiFactorPhone*) echo "readme: $program links phone code" >&2; exit 1 ;; esac
    done
    [ "$layers" -gt 0 ] || { echo "readme: no program with MultiFactor was looked at" >&2; exit 1; }
    echo "readme: $count programs printed what they say; the product OTP needs no other package, and $libraries"
    ;;
  articles)
    swift_package plain-articles "${flavour_bare[@]}"
    swift_package traits-articles "${flavour_client[@]}"
    echo "articles: $count programs printed what they say"
    ;;
  *) echo "usage: $0 programs|articles" >&2; exit 64 ;;
esac
