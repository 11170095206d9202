#!/usr/bin/env bash
# Debian's OpenSSH server uses libotp through PAM and LibOTP/examples/pam.
#
# Everything runs in new namespaces (mounts, network, processes), under a separate root (root.sh), and ends with this
# script, however that ends. The machine's files are read-only there. It needs no root privileges if the user has
# subordinate IDs (/etc/subuid) and newuidmap, since sshd switches users; otherwise it uses sudo.
#
#   run.sh --built   uses the existing build
set -euo pipefail
cd "$(dirname "$0")/../../.."
readonly here=$PWD/Tests/Checks/openssh build=$PWD/.build-server

fail() {
  echo "openssh: $*" >&2
  exit 1
}

# ---- The library and the module, built as for an installation ----
if [ $# -eq 0 ]; then
  rm -rf "$build"
  mkdir -p "$build/root"
  LibOTP/build.sh
  LibOTP/build.sh install "$build/usr"
  # (valgrind does not support everything in clang's DWARF 5.)
  PKG_CONFIG_PATH=$build/usr/lib/pkgconfig make --silent -C LibOTP/examples/pam OUT="$build" CC=clang \
    CFLAGS="-O2 -gdwarf-4" LDFLAGS="-Wl,-rpath,$build/usr/lib"
  OTP_LIBRARY=.build-libotp/libotp.so.0 PYTHONPATH=LibOTP/bindings/python/src PYTHONDONTWRITEBYTECODE=1 python3 -c \
    'import otp, sys; otp.Keyring.create_file(sys.argv[1])' "$build/keyring"
  clang -shared -fPIC -Wall -Wextra -Werror -I "$build/usr/include" -o "$build/intercept.so" "$here/intercept.c"
fi

# ---- The namespaces ----
enter=(setpriv --pdeathsig KILL unshare --mount --net --ipc --pid --fork --kill-child)
[ "$(id -u)" -eq 0 ] || enter+=(--user --map-root-user --map-auto)
if ! "${enter[@]}" mount -t tmpfs tmpfs /tmp; then
  if [ "$(id -u)" -ne 0 ] && command -v sudo > /dev/null; then exec sudo --non-interactive "$here/run.sh" --built; fi
  fail "needs root, or a kernel that lets users make namespaces, subordinate ids for $(id -un) in /etc/subuid, and" \
    "newuidmap (Debian: uidmap); SKIP=server leaves it out"
fi
inside() { "${enter[@]}" "$here/root.sh" "$@"; }

# ---- The server's logins ----
results=
for part in logins.sh answers.sh administration.sh; do
  # (Not in $(), whose subshell would outlive this script.)
  inside $part > "$build/result"
  results+="$(< "$build/result"); "
done
echo "openssh: ${results%; }"
