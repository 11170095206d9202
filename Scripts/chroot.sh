#!/usr/bin/env bash
# Runs a command in a fresh Debian of another suite, with these packages and what they need, and this folder, read-only,
# at /source. It is a chroot with its own mounts, processes and network (loopback only), removed when the command ends.
#
#   Scripts/chroot.sh SUITE PACKAGE... -- COMMAND...
#
# The packages are fetched from the machine's own Debian mirror, once; the unpacked system is kept in .build-chroots.
# OTP_CHROOT_BIND names more folders that are to be visible, read-only, at the same path.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
suite=$1
shift
packages=()
while [ "$1" != -- ]; do
  packages+=("$1")
  shift
done
shift

for tool in mmdebstrap:mmdebstrap unshare:util-linux; do
  command -v "${tool%:*}" > /dev/null || { echo "chroot: ${tool#*:} is missing" >&2; exit 1; }
done
[ "$(id -u)" -eq 0 ] || { echo "chroot: only root can run this" >&2; exit 1; }

mkdir -p .build-chroots
base=$root/.build-chroots/$suite-$(printf '%s\n' "${packages[@]}" | sort | sha256sum | cut -c 1-12).tar
if [ ! -e "$base" ]; then
  echo "chroot: fetching Debian $suite with ${packages[*]}"
  sources=$(mktemp --suffix .sources)
  trap 'rm -f "$sources"' EXIT
  # This machine's suite, by the name of the other.
  sed "s/$(. /etc/os-release && echo "$VERSION_CODENAME")/$suite/g" /etc/apt/sources.list.d/debian.sources > "$sources"
  # shellcheck disable=SC2016 # mmdebstrap's own variable
  mmdebstrap --quiet --format=tar --variant=apt --include="$(IFS=,; echo "${packages[*]}")" \
    --essential-hook='mkdir -p "$1/etc/postgresql-common/createcluster.d"' \
    --essential-hook='echo create_main_cluster = false > "$1/etc/postgresql-common/createcluster.d/none.conf"' \
    "$suite" "$base.new" "$sources"
  mv "$base.new" "$base"
fi

# The folder around it keeps the machine's other users out: the system in it has set-user-ID programs.
outer=$(mktemp -d)
place=$outer/system
mkdir "$place"
trap 'rm -rf --one-file-system "$outer"; rm -f "${sources:-}"' EXIT
tar --extract --file "$base" --directory "$place" --numeric-owner
if [[ " ${OTP_CHROOT_BIND:-}" == *" /:"* ]]; then
  echo "chroot: the whole machine cannot be visible in it" >&2
  exit 1
fi
export place root OTP_CHROOT_BIND=${OTP_CHROOT_BIND:-}
# shellcheck disable=SC2016 # variables of the inner shell
unshare --mount --pid --net --fork --kill-child bash -euo pipefail -c '
  ip link set lo up 2> /dev/null || true
  mount --make-rprivate /
  mount -t proc proc "$place/proc"
  mount --rbind /dev "$place/dev"
  mount -t tmpfs tmpfs "$place/dev/shm"
  mount -t tmpfs tmpfs "$place/run"
  for folder in "$root:/source" $OTP_CHROOT_BIND; do
    mkdir -p "$place${folder#*:}"
    mount --bind "${folder%%:*}" "$place${folder#*:}"
    mount -o remount,bind,ro "$place${folder#*:}"
  done
  exec chroot "$place" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root "$@"' chroot "$@"
