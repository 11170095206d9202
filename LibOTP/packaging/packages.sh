#!/usr/bin/env bash
# Builds everything that is released into dist: Debian packages, the Python wheel and sdist, the Go module, the Rust
# crate, an SBOM of each, and SHA256SUMS.
#
# A build of the same commit, in another folder or at another time, gives the same bytes (LibOTP/bindings/README.md).
#
# The compiler puts the folder's path into the tool. So the build sees this folder at a fixed path, in a mount namespace
# of its own, in which nothing else under /mnt is visible.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=/mnt/swift-otp
if [ "$PWD" != $root ]; then
  namespace=(unshare --mount)
  [ "$(id -u)" -eq 0 ] || namespace+=(--map-root-user)
  # shellcheck disable=SC2016 # the inner shell's variables
  exec "${namespace[@]}" bash -euc 'mount -t tmpfs tmpfs "${2%/*}" && mkdir "$2" && mount --bind "$1" "$2" && cd "$2" &&
    exec "$2/LibOTP/packaging/packages.sh"' packages "$PWD" "$root"
fi
if [ -n "$(git status --porcelain)" ]; then
  echo "packages: commit first, since the packages name a commit" >&2
  exit 1
fi
umask 022
unset OTP_LIBRARY OTP_LIBOTP_CFLAGS OTP_LIBOTP_SWIFTFLAGS OTP_LIBOTP_LDFLAGS OTP_LIBOTP_BUILD DEB_BUILD_OPTIONS
export LC_ALL=C TZ=UTC SOURCE_DATE_EPOCH
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
version=$(sed -n 's/^#define OTP_VERSION "\(.*\)"/\1/p' LibOTP/include/otp.h)
# Before the release, a version that is lower than it.
debian_version=$version-1
if [ -z "$(git tag --points-at HEAD --list "$version")" ]; then
  debian_version=$version~$(git log -1 --format=%cd --date=format-local:%Y%m%d%H%M%S).g$(git rev-parse HEAD | cut -c 1-10)
fi
dist=$root/dist
work=$root/.build-packages
rm -rf "$dist" "$work" .build-tool
mkdir -p "$dist" "$work"

machine=$(dpkg --print-architecture)
triplet_of() { dpkg-architecture --host-arch "$1" --query DEB_HOST_MULTIARCH 2> /dev/null; }

# stage_libotp ARCHITECTURE STAGE: builds libotp, with the cross compiler if it is for another machine.
stage_libotp() {
  local OTP_LIBOTP_TARGET=
  [ "$1" = "$machine" ] || OTP_LIBOTP_TARGET=$(triplet_of "$1")
  export OTP_LIBOTP_TARGET
  LibOTP/build.sh
  DESTDIR=$2 LibOTP/build.sh install /usr "lib/$(triplet_of "$1")"
  mkdir -p "$2/examples"
  cp LibOTP/examples/c/login.c "$2/examples"
}

# blank_hashes PROGRAM: the compiler leaves hashes of the modules for its own next run, which differ from build to build,
# and the linker one of all, which is made again from the rest.
blank_hashes() {
  local size note=$work/note
  size=$(objdump --section-headers "$1" | awk '$2 == ".swift_modhash" { print "0x" $3 }')
  head -c $((size)) /dev/zero > "$work/zeros"
  objcopy --dump-section .note.gnu.build-id="$note" "$1"
  { head -c 16 "$note"; head -c 20 /dev/zero; } > "$note.blank"
  objcopy --update-section .swift_modhash="$work/zeros" --update-section .note.gnu.build-id="$note.blank" "$1"
  # shellcheck disable=SC2059 # bytes in hexadecimal
  { head -c 16 "$note"; printf "$(sha1sum < "$1" | cut -c 1-40 | sed 's/../\\x&/g')"; } > "$note.made"
  objcopy --update-section .note.gnu.build-id="$note.made" "$1"
}

# stage_tool STAGE: the tool, its manual page, completions, and service's page, and the licenses of what is linked into it.
stage_tool() {
  # shellcheck source-path=SCRIPTDIR source=../../Scripts/flavours.sh
  (source Scripts/flavours.sh && swift_build --package-path Tool "${flavour_packages[@]}")
  touch .build-tool/release/otp
  OTP_TOOL_BUILD=.build-tool DESTDIR=$1 Scripts/install-tool.sh install /usr
  blank_hashes "$1/usr/bin/otp"
  cp -r Tool/record-service "$1"
  mkdir -p "$1/licenses"
  local checkouts=.build-tool/checkouts
  install -m 644 $checkouts/GRDB.swift/LICENSE "$1/licenses/GRDB"
  install -m 644 $checkouts/swift-argument-parser/LICENSE.txt "$1/licenses/swift-argument-parser"
  install -m 644 "$(dirname "$(readlink -f "$(command -v swiftc)")")/../share/swift/LICENSE.txt" "$1/licenses/swift"
  install -m 644 /usr/share/doc/libstdc++6/copyright "$1/licenses/libstdc++"
}

# stage_pam STAGE: the PAM module and its program, linked to the libotp in the stage.
stage_pam() {
  local security lib
  lib=/usr/lib/$(triplet_of "$machine")
  security=$lib/security
  PKG_CONFIG_PATH=$1$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$1 make --silent -C LibOTP/examples/pam install CC=clang CFLAGS="-O2 -D_FORTIFY_SOURCE=2" \
    OUT="$work" DESTDIR="$1" SECURITY="$security" SBIN=/usr/sbin
  install -D -m 644 LibOTP/packaging/debian/libpam-otp.pam-config "$1/usr/share/pam-configs/otp"
  install -m 644 LibOTP/examples/pam/README.md "$1"
}

# pack ARCHITECTURE PACKAGE...: the Debian packages of what is staged.
pack() {
  local architecture=$1 source=$work/$1/swift-otp
  shift
  cp -r LibOTP/packaging/debian/. "$source/debian"
  cp CHANGELOG.md "$source"
  # Each function, with the version that had it first.
  {
    printf 'libotp.so.0 libotp0 #MINVER#\n* Build-Depends-Package: libotp-dev\n LIBOTP_0@LIBOTP_0 0.1.0~\n'
    sed -nE 's/^([0-9.]+) .*[ *](otp_[a-z0-9_]+)\(.*/ \2@LIBOTP_0 \1~/p' Tests/Checks/libotp/interface.txt | sort
  } > "$source/debian/libotp0.symbols"
  printf 'swift-otp (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' "$debian_version" \
    "$(sed -n 's/^Maintainer: //p' LibOTP/packaging/debian/control.in)" \
    "$(date --rfc-email --date="@$SOURCE_DATE_EPOCH")" > "$source/debian/changelog"
  # Build dependencies are checked by Scripts/setup.sh, which knows the toolchain too.
  (cd "$source" && pg_buildext updatecontrol && DH_OPTIONS="${*/#/--package=}" dpkg-buildpackage --build=binary \
    --no-sign --no-check-builddeps --host-arch "$architecture" > "$source.log" 2>&1) || {
    tail -n 30 "$source.log" >&2
    exit 1
  }
  cp "$work/$architecture"/*.deb "$dist"
}

needed() { readelf --dynamic "$1" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -v '^ld-linux' | sort; }

stage=$work/$machine/swift-otp/stage
stage_libotp "$machine" "$stage"
stage_tool "$stage"
stage_pam "$stage"
# The extension, which debian/rules builds for each of Debian's versions of PostgreSQL.
cp -r LibOTP/postgresql "${stage%/*}"
mapfile -t extensions < <(cd LibOTP/packaging && pg_buildext supported-versions | sed 's/.*/postgresql-&-otp-record/')
[ ${#extensions[@]} -gt 0 ]
pack "$machine" libotp0 libotp-dev otp-tool libpam-otp "${extensions[@]}"

if [ "$machine" != arm64 ]; then
  foreign=$work/arm64/swift-otp/stage
  stage_libotp arm64 "$foreign"
  both=$(needed "$stage/usr/lib/$(triplet_of "$machine")/libotp.so")
  [ -n "$both" ] && [ "$both" = "$(needed "$foreign/usr/lib/$(triplet_of arm64)/libotp.so")" ]
  OTP_DEPENDS=$(sed -n 's/^shlibs:Depends=//p' "$work/$machine/swift-otp/debian/libotp0.substvars")
  export OTP_DEPENDS
  pack arm64 libotp0 libotp-dev
fi

LibOTP/bindings/python/build.sh "$dist"
LibOTP/bindings/node/build.sh "$dist"
LibOTP/packaging/go_module.py LibOTP/bindings/go "v$version" "$dist/go"
# To cargo, what LibOTP/bindings/generate.py writes is dirt.
cargo package --quiet --offline --no-verify --allow-dirty --manifest-path LibOTP/bindings/rust/Cargo.toml \
  --target-dir "$work/rust"
cp "$work"/rust/package/*.crate "$dist"

python3 LibOTP/packaging/sbom.py "$dist"
git rev-parse HEAD > "$dist/COMMIT"
(cd "$dist" && find . -type f -printf '%P\n' | sort | xargs -d '\n' sha256sum > "$work/SHA256SUMS")
cp "$work/SHA256SUMS" "$dist"
for package in "$dist"/libotp0_*.deb; do dpkg-deb --ctrl-tarfile "$package" | tar t | grep -qx ./symbols; done
lintian --fail-on error --tag-display-limit 0 "$work"/*/*.changes | tee "$work/lintian.txt"
echo "packages: $(wc -l < "$dist/SHA256SUMS") files in dist; lintian: $(grep -c '^E:' "$work/lintian.txt") errors," \
  "$(grep -c '^W:' "$work/lintian.txt") warnings"
