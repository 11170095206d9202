#!/usr/bin/env bash
# Unpacks Debian packages for another architecture into a build folder, and prints its path: headers and libraries for
# cross-compiling.
#
#   Scripts/foreign.sh ARCHITECTURE PACKAGE...
#
# The machine's packages, architectures and apt lists are not changed: apt uses a separate configuration, with Debian's
# own sources and keys, and nothing installed. A folder that already has the packages is left as it is; their versions
# are in unpacked/PACKAGE.
set -euo pipefail
cd "$(dirname "$0")/.."
architecture=$1
shift
folder=$PWD/.build-foreign-$architecture
if ! command -v apt-get > /dev/null; then
  echo "foreign: not a Debian system; its packages for $architecture are needed: $*" >&2
  exit 1
fi

mkdir -p "$folder"/{root,unpacked}
exec {lock}< "$folder"
flock "$lock"
missing=()
for package in "$@"; do
  [ -e "$folder/unpacked/$package" ] || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  apt=$(mktemp -d)
  trap 'rm -rf "$apt"' EXIT
  mkdir -p "$apt"/{lists,archives}/partial "$apt/sources" "$apt/packages"
  touch "$apt/status"
  # The places where Debian's installer and its images list Debian's sources.
  for source in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
    if [ -e "$source" ]; then cp "$source" "$apt/sources/debian.${source##*.}"; fi
  done
  cat > "$apt/apt.conf" << CONFIGURATION
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
Dir::State::lists "$apt/lists";
Acquire::Retries "5";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$apt/sources";
CONFIGURATION
  if [ "$(id -u)" -eq 0 ]; then echo 'APT::Sandbox::User "root";' >> "$apt/apt.conf"; fi
  export APT_CONFIG=$apt/apt.conf
  apt-get update --quiet=2 >&2
  (cd "$apt/packages" && apt-get download --quiet=2 "${missing[@]}" >&2)
  for package in "${missing[@]}"; do
    dpkg-deb -x "$apt/packages/${package}"_*.deb "$folder/root"
    dpkg-deb --field "$apt/packages/${package}"_*.deb Version > "$folder/unpacked/$package"
  done
fi
echo "$folder/root"
