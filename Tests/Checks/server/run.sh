#!/usr/bin/env bash
# Debian's OpenSSH server uses libotp through PAM and Examples/pam.
#
# Everything runs in new namespaces (mounts, network, processes), under a separate root (root.sh), and ends with this
# script, however that ends. It does not change the machine, which is checked too. It needs no root privileges if the
# user has subordinate IDs (/etc/subuid) and newuidmap, since sshd switches users; otherwise it uses sudo.
#
#   run.sh --built   uses the existing build
#   run.sh --hold    does so too, and stops in the middle of a login
set -euo pipefail
cd "$(dirname "$0")/../../.."
readonly here=$PWD/Tests/Checks/server build=$PWD/.build-server

fail() {
  echo "server: $*" >&2
  exit 1
}

# ---- The library and the module, built as for an installation ----
if [ $# -eq 0 ]; then
  rm -rf "$build"
  mkdir -p "$build/root" "$build/planted"
  Scripts/libotp.sh
  Scripts/libotp.sh install "$build/usr"
  # (valgrind does not support everything in clang's DWARF 5.)
  PKG_CONFIG_PATH=$build/usr/lib/pkgconfig make --silent -C Examples/pam OUT="$build" CC=clang \
    CFLAGS="-O2 -gdwarf-4" LDFLAGS="-Wl,-rpath,$build/usr/lib"
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
if [ "${1:-}" = --hold ]; then
  inside logins.sh --hold
  exit
fi

# ---- What could change on the machine ----
# Every file of a folder: its type, mode, owner, time and content.
contents() {
  find "$@" -xdev -printf '%y %m %u %g %s %T@ %p %l\n' | sort
  find "$@" -xdev -type f -exec cksum {} + | sort
}
machine() {
  # (What the caller cannot read, it cannot change.)
  contents /etc 2> /dev/null || true
  find /run /home -maxdepth 1 | sort
  grep -alF otp-check /var/log/*tmp /var/log/lastlog 2> /dev/null || true
  grep -F "$PWD" /proc/self/mountinfo || true
}
# The processes of a namespace.
processes_in() {
  local process
  for process in /proc/[0-9]*; do
    [ "$(readlink "$process/ns/pid" || true)" != "$1" ] || echo "${process#/proc/}"
  done 2> /dev/null
}
expect_untouched() {
  machine | diff "$build/machine" - >&2 || fail "$1 changed the machine"
}
# The controls: an additional file, and a changed mode, content or time of one, must be noticed.
rm -f "$build/planted"/*
touch "$build/planted/file"
for change in 'touch planted/other' 'rm planted/other' 'chmod 700 planted/file' 'echo > planted/file' \
  'touch -d 2000-01-01 planted/file'; do
  contents "$build/planted" > "$build/before"
  (cd "$build" && eval "$change")
  if contents "$build/planted" | cmp -s - "$build/before"; then fail "'$change' was not noticed"; fi
done
machine > "$build/machine"

# ---- The server's logins, which leave nothing behind ----
results=
for part in logins.sh answers.sh administration.sh trials.sh; do
  # (Not in $(), whose subshell would outlive this script.)
  inside $part > "$build/result"
  results+="$(< "$build/result"); "
done
expect_untouched "a run"

# Killed in the middle, with a server, a client and a login in progress.
"$here/run.sh" --hold > "$build/held" 2>&1 &
held=$!
until grep -qs '^holding' "$build/held"; do
  kill -0 $held 2> /dev/null || fail "nothing to kill: $(cat "$build/held")"
  sleep 0.1
done
first=$(pgrep --full "^/bin/bash $here/logins.sh --hold" | head -n 1)
namespace=$(readlink "/proc/$first/ns/pid")
[ "$namespace" != "$(readlink /proc/self/ns/pid)" ] || fail "it has no separate process namespace"
before=$(processes_in "$namespace" | wc -l)
grep -q '^otp-check:' "/proc/$first/root/etc/passwd" || fail "it has no separate users"
kill -KILL $held
wait $held 2> /dev/null || true
for _ in {1..100}; do
  after=$(processes_in "$namespace" | wc -l)
  [ "$after" -gt 0 ] || break
  sleep 0.1
done
if [ "$before" -lt 5 ] || [ "$after" -gt 0 ]; then fail "$after of $before processes survived the killing of a run"; fi
expect_untouched "a run that was killed"

echo "server: ${results}killed in a login, all $before processes end, and nothing on the machine changes"
