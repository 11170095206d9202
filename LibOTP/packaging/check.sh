#!/usr/bin/env bash
# Tries what `make packages` left in dist, as root: the SBOMs are valid, and in clean chroots of Debian 12 and 13
# everything is installed, used, upgraded, removed and purged (trials.sh). On Debian 13, whose OpenSSL is newer and has a
# FIPS provider, the library's tests and vectors run too (openssl.sh), and the PostgreSQL store's on its server.
#
#   LibOTP/packaging/check.sh [SUITE...]         bookworm trixie by default
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
suites=("$@")
[ $# -gt 0 ] || suites=(bookworm trixie)
if [ ! -e dist/SHA256SUMS ]; then
  echo "packages-check: dist is empty: run make packages first" >&2
  exit 1
fi
if [ "$(< dist/COMMIT)" != "$(git rev-parse HEAD)" ]; then
  echo "packages-check: dist is of another commit: run make packages" >&2
  exit 1
fi
(cd dist && sha256sum --check --quiet SHA256SUMS)

validators=.build-validators
[ -e $validators/bin/python ] || python3 -m venv $validators
$validators/bin/pip install --quiet --disable-pip-version-check spdx-tools
for file in dist/sbom/*.spdx.json; do $validators/bin/pyspdxtools --infile "$file"; done
echo "packages-check: $(find dist/sbom -type f | wc -l) SBOMs are valid"

# What is not ours, for a server's developers; and what the tests need.
packages=(cargo g++ gcc golang-github-lib-pq-dev golang-github-mattn-go-sqlite3-dev golang-go iproute2 libc6-dev
  libpam-runtime libpam0g libpq-dev libqrencode4 libsqlite3-dev libssl-dev man-db
  oathtool openssl pamtester pkg-config postgresql procps python3 python3-psycopg2 python3-venv tzdata)
swift=$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")")
for suite in "${suites[@]}"; do
  [ "$suite" = bookworm ] || packages+=(debhelper openssl-provider-fips postgresql-server-dev-all)
  Scripts/chroot.sh "$suite" "${packages[@]}" -- /source/LibOTP/packaging/trials.sh
done
if [ "${suites[-1]}" = trixie ]; then
  # shellcheck disable=SC2016 # the inner shell's variables
  bash -c 'source Scripts/flavours.sh && swift_build --build-tests "${flavour_test[@]}" --enable-all-traits'
  # Tests find their files by the folder's own path.
  OTP_CHROOT_BIND="$swift:$swift $root:$root" Scripts/chroot.sh trixie "${packages[@]}" -- "$root/LibOTP/packaging/openssl.sh"
fi
