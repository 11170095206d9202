#!/usr/bin/env bash
# The scripts themselves: test.sh counts the checks that it ran, whatever else happens in the folder, says why one
# failed, and records their times; postgresql.sh signals only servers that still run; setup.sh waits for another
# apt-get, says what it installs before it does, and starts and enables no service; the hooks refuse what lint would.
set -euo pipefail
cd "$(dirname "$0")/../../.."
root=$PWD
unset ONLY SKIP JOBS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
expect() {  # WHAT EXPECTED FOUND
  if [ "$2" != "$3" ]; then
    printf 'FAIL  %s: expected\n%s\nfound\n%s\n' "$1" "$2" "$3" >&2
    exit 1
  fi
  passed=$((passed + 1))
}

# test.sh, in a folder of its own, with the checks on standard input instead of its own, and then its last line and
# exit status.
new_folder() {
  rm -rf "$work/clone"
  mkdir -p "$work/clone/Scripts"
  cd "$work/clone"
  { sed '/^checks=(/,$d' "$root/Scripts/test.sh"; echo "checks=("; cat; echo ")"; sed '1,/^)$/d' "$root/Scripts/test.sh"; } \
    > Scripts/test.sh
}
verdict() {
  local status=0
  bash Scripts/test.sh "$@" > out 2>&1 || status=$?
  echo "$(tail -n 1 out), status $status"
}

new_folder << 'CHECKS'
  "test|a|passes|true"
  "test|b|fails|bash b.sh"
  "check|c|is killed|bash -c kill\${IFS}-9\${IFS}\$PPID"
  "check|d|passes|true"
CHECKS
cat > b.sh << 'LOG'
cat << 'END'
✘ Test "b" recorded an issue at B.swift:7:37: Expectation failed: 1 == 2
↳ why
◇ Test "a bad file is an error: it is refused" started.
✘ Test "b" failed after 0.003 seconds with 1 issue.
FAIL: test_c (c.C)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "c.py", line 3, in test_c
    d()
  File "c.py", line 9, in d
    assert d == 1, "d is 2"
AssertionError: d is 2
/e.swift:3:5: error: missing required module 'SwiftShims'
/e.swift:3:5: error: missing required module 'SwiftShims'
b: no such file
END
exit 1
LOG
expect "checks that pass, fail and are killed" "2 passed, 2 failed, status 1" "$(verdict check)"
expect "each failed test and error once, with its place, and no test that passed" "$(cat << 'SAID'
      a build folder was copied from another path: run make clean
      ✘ Test "b" recorded an issue at B.swift:7:37: Expectation failed: 1 == 2
      ↳ why
      FAIL: test_c (c.C)
      File "c.py", line 9, in d: AssertionError: d is 2
      /e.swift:3:5: error: missing required module 'SwiftShims'
      .build-logs/b.log ends:
      b: no such file
SAID
)" "$(sed -n '/ build /,/no such/p' out)"
expect "their times, other than of the one killed" "a b d" "$(awk '$1 ~ /^[0-9]+$/ { print $2 }' .build-logs/times.txt | sort | xargs)"
expect "one that passes" "1 passed, 0 failed, status 0" "$(ONLY=a verdict check)"
expect "none" "0 passed, 0 failed, status 1" "$(ONLY=x verdict check)"

# Another run in the same folder, whose check passes meanwhile.
new_folder << 'CHECKS'
  "test|first|fails the first time|mkdir ran"
  "test|second|waits for the other run|bash wait.sh"
CHECKS
echo 'touch waits; until [ -e go ]; do sleep 0.05; done' > wait.sh
mkdir ran
verdict test > ended &
until [ -e waits ] && grep -q '^FAIL' out; do sleep 0.05; done
rmdir ran
status=0
ONLY=first bash Scripts/test.sh test > other 2>&1 || status=$?
expect "what has started" "start first start second" "$(grep ^start out | xargs)"
expect "a second run in one folder" "test.sh: another run is using this folder; wait for it, or end it, status 75" \
  "$(cat other), status $status"
touch go
wait
expect "the first run, after the second" "1 passed, 1 failed, status 1" "$(cat ended)"

# What a check leaves running does not keep the folder.
new_folder << 'CHECKS'
  "test|daemon|leaves a process|bash daemon.sh"
CHECKS
echo 'sleep 60 > /dev/null 2>&1 & echo $! > pid' > daemon.sh
expect "a check that leaves a process" "1 passed, 0 failed, status 0" "$(verdict test)"
first=$(cat pid)
expect "the next run" "1 passed, 0 failed, status 0" "$(verdict test)"
kill "$first" "$(cat pid)"

# postgresql.sh, with a `kill` that records what it is asked for. The server is killed, restarted and killed again.
cd "$work"
cat > command.sh << 'COMMAND'
server() { head -n 1 "$OTP_POSTGRESQL_FOLDER/data/postmaster.pid" > "$1"; }
end() {
  builtin kill -KILL "$(cat "$1")"
  while builtin kill -0 "$(cat "$1")"; do sleep 0.05; done 2> /dev/null
}
server "$1"
[ "$1" = killed ] || exit 0
end killed
until psql --quiet "$OTP_POSTGRESQL" --command "SELECT 1" > answer; do
  builtin kill -USR1 "$OTP_POSTGRESQL_PARENT"
  sleep 0.1
done 2> /dev/null
server restarted
end restarted
exit 0
COMMAND
echo 'kill() { echo "$*" >> kills && builtin kill "$@"; }' > bash.sh
: > kills
BASH_ENV=bash.sh "$root/Scripts/postgresql.sh" bash command.sh killed
expect "signals to servers that were killed" "" "$(grep QUIT kills || true)"
BASH_ENV=bash.sh "$root/Scripts/postgresql.sh" bash command.sh running
expect "signals to a server that runs" "-QUIT $(cat running)" "$(grep QUIT kills)"
expect "the server afterward" "" "$(ps -p "$(cat running)" -o pid= || true)"

# setup.sh as root, on a machine with an OpenSSH server of its own, and no other package. apt-get's lists are locked at
# first; it is asked to install when the list has been printed, while the policy allows the machine's services and
# refuses the new ones.
mkdir bin machine
while IFS='|' read -r name command; do printf '#!/bin/sh\n%s\n' "$command" > "bin/$name"; done << 'PROGRAMS'
swift|echo "Swift version 6.3"
id|echo 0
sleep|
dpkg-query|for package; do :; done; [ "$package" != openssh-server ] || printf installed
systemctl|echo "systemctl $*" >> "$OTP_APT"
PROGRAMS
cat > bin/apt-get << 'APT'
#!/bin/sh
fail() { [ -z "$1" ] || echo "E: $1" >&2; exit 100; }
echo "$*" | sed 's/install .*/install/' >> "$OTP_APT"
case "$*" in *update*)
  [ "$(wc -l < "$OTP_APT")" -gt 2 ] || fail "Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt-get)"
  [ "$OTP_APT_FAILS" != update ] || fail "no network"
  exit
esac
echo "said: $(grep -c '^setup: installing .*patroni' "$OTP_SETUP_ROOT/said")" >> "$OTP_APT"
policy=$OTP_SETUP_ROOT/usr/sbin/policy-rc.d
for service in ssh.service haproxy.service patroni cron.service; do
  "$policy" --quiet "$service" start
  echo "$service $?" >> "$OTP_APT"
done
cat "$OTP_SETUP_ROOT/etc/postgresql-common/createcluster.d/swift-otp.conf" >> "$OTP_APT"
[ "$OTP_APT_FAILS" != install ] || fail
APT
chmod +x bin/*
export OTP_APT=$work/apt OTP_SETUP_ROOT=$work/machine
set_up() {  # the exit status, what apt-get saw, what is left afterward, and the error
  rm -f apt
  local status=0
  PATH=$work/bin:$PATH "$root/Scripts/setup.sh" check > "$OTP_SETUP_ROOT/said" 2> errors || status=$?
  echo "$status; $(tr '\n' ';' < apt) left: $(cd machine; find usr etc -type f -exec echo {} +) $(cat errors)"
}
apt="-o DPkg::Lock::Timeout=600 --quiet=2"
updates="$apt update;$apt update;$apt update;"
seen="$updates$apt install;said: 1;ssh.service 0;haproxy.service 101;patroni 101;cron.service 0;create_main_cluster = false;"
disabled="systemctl --quiet disable pgbouncer etcd haproxy patroni;"
expect "a set-up after another apt-get" "0; $seen$disabled left:  " "$(set_up)"
expect "a set-up without a network" "1; $updates left:  E: no network" "$(OTP_APT_FAILS=update set_up)"
expect "a set-up that fails" "100; $seen left:  " "$(OTP_APT_FAILS=install set_up)"
printf '#!/bin/sh\nexit 0\n' > machine/usr/sbin/policy-rc.d
chmod +x machine/usr/sbin/policy-rc.d
expect "a set-up on a machine with a policy" "0; ${seen//101/0}$disabled left: usr/sbin/policy-rc.d " "$(set_up)"
unset OTP_SETUP_ROOT

# The hooks, in a repository with one staged file, which alone counts, whatever the working tree has.
repository=$work/repository
mkdir "$repository"
cd "$repository"
git init --quiet
git config core.hooksPath Scripts/hooks
git config user.name test
git config user.email test@example.com
cp -r "$root/Scripts" "$root/.swift-format" "$root/.clang-format" .
git add .
commit() { git commit --quiet --message "$@" > ../out 2>&1 && echo committed || echo refused; }
expect "a commit of the scripts" committed "$(commit "Add the scripts")"
try() {  # FILE STAGED UNSTAGED: is the staged text committed, with another one in the working tree?
  printf '%s' "$2" > "$1"
  git add "$1"
  printf '%s' "$3" > "$1"
  commit "Change a file"
  git reset --quiet --hard
}
newline=$'\n'
while IFS='|' read -r file right wrong; do
  expect "a good $file" committed "$(try "$file" "$right$newline" "$wrong$newline")"
  expect "a faulty $file" refused "$(try "$file" "$wrong$newline" "$right$newline")"
done << 'FILES'
a.swift|let a = 1|let a=1
a.c|int a = 1;|int a=1;
a.sh|#!/bin/sh -e|#!/bin/sh; cd $a
a.py|a = 1|a = (
FILES
while IFS='|' read -r expected subject; do
  expect "the subject '$subject'" "$expected" "$(commit "$subject" --allow-empty)"
done << 'SUBJECTS'
committed|Read the clock once
committed|Process records in one pass
committed|Embed the engine
refused|Reads the clock once
refused|Added a test
refused|Adding a test
refused|read the clock once
refused|Read the clock once.
refused|Emulator: read the clock once
SUBJECTS
subject="Read the clock once"
expect "no empty line" refused "$(commit "$subject${newline}It was read twice." --allow-empty)"
echo "scripts: $passed passed, 0 failed"
