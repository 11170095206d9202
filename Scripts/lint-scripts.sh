#!/usr/bin/env bash
# The scripts themselves, as part of lint: test.sh counts the checks that it ran and refuses a second run; setup.sh lets
# no service start.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
unset ONLY SKIP JOBS MINUTES
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
expect() {  # WHAT EXPECTED FOUND
  [ "$2" = "$3" ] || { printf 'lint: scripts: %s: expected\n%s\nfound\n%s\n' "$1" "$2" "$3" >&2; exit 1; }
}

# test.sh, with these checks instead of its own.
mkdir -p "$work/clone/Scripts" "$work/bin" "$work/machine"
cd "$work/clone"
# shellcheck disable=SC2016 # the check's own variables
sed '/^checks=(/,/^)$/d; /^mkdir -p/a checks=("test|a|passes|true" "test|b|fails|false" "check|c|is killed|bash -c kill\\${IFS}-9\\${IFS}\\$PPID")' \
  "$root/Scripts/test.sh" > Scripts/test.sh
verdict() { bash Scripts/test.sh "$@" 2>&1 | tail -n 1; echo "status ${PIPESTATUS[0]}"; }
expect "checks that pass, fail and are killed" $'1 passed, 2 failed\nstatus 1' "$(verdict check)"
expect "no check" $'0 passed, 0 failed\nstatus 1' "$(ONLY=a SKIP=a verdict check)"
expect "no time" $'0 passed, 0 failed, 3 skipped\nstatus 1' "$(MINUTES=0 verdict check)"
expect "a name that no check has" $'test.sh: no check is called x\nstatus 64' "$(ONLY="a x" verdict check)"
expect "a second run" "status 75" "$(flock .build-logs/lock bash -c "$(declare -f verdict); verdict test" | tail -n 1)"

# setup.sh as root, where no package is installed; apt-get asks the policy about a service of ours and another.
cd "$work"
while IFS='|' read -r name command; do printf '#!/bin/sh\n%s\n' "$command" > "bin/$name"; done << 'PROGRAMS'
swift|echo "Swift version 6.3"
id|echo 0
dpkg-query|
systemctl|echo "$*"
apt-get|for name in haproxy cron; do "$OTP_SETUP_ROOT/usr/sbin/policy-rc.d" $name start; echo "$name $?"; done >> apt
PROGRAMS
chmod +x bin/*
set_up=$(PATH=$work/bin:$PATH OTP_SETUP_ROOT=$work/machine "$root/Scripts/setup.sh" check)
expect "a set-up" "haproxy 101 cron 0" "$(tail -n 2 apt | xargs)"
expect "what it disables" 1 "$(grep -c '^--quiet disable .*haproxy' <<< "$set_up")"
expect "what it leaves" "" "$(find machine -type f)"
