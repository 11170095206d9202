#!/usr/bin/env bash
# Runs a command with a new PostgreSQL server, which always ends with it.
#
#   Scripts/postgresql.sh COMMAND...
#
# The server is Debian's, in a new temporary folder, with one socket there and no network port; the machine's clusters
# are not touched. It runs as an unprivileged user, since it refuses to run as root. The command gets
#
#   OTP_POSTGRESQL          a connection string for the server's administrator
#   OTP_POSTGRESQL_FOLDER   the folder with data, socket and log
#   OTP_POSTGRESQL_PARENT   the process that restarts servers on SIGUSR1, if they have ended
#
# POSTGRESQL_OPTIONS adds server options: -c name=value. POSTGRESQL_UNDER=valgrind runs the server under that program,
# POSTGRESQL_IN=/dev/shm in that folder instead of /tmp.
# POSTGRESQL_STANDBYS=2 adds two standbys, for one of which each commit waits, in OTP_POSTGRESQL_FOLDER/standby1 and
# standby2, each with its own data, socket and log.
set -euo pipefail
bin=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2> /dev/null | sort -V | tail -n 1)
if [ -z "$bin" ]; then
  echo "postgresql: no server is installed; run Scripts/setup.sh test to install it" >&2
  exit 1
fi
# A socket's path has at most 107 bytes, and some TMPDIRs are too long for that.
folder=$(mktemp -d "${POSTGRESQL_IN:-/tmp}/otp-postgresql.XXXXXX")
user=()
if [ "$(id -u)" -eq 0 ]; then
  user=(--reuid=nobody --regid="$(id -g nobody)" --clear-groups)
  chown nobody "$folder"
fi
# If this script is killed, the kernel ends the processes that it has started.
user=(setpriv "${user[@]}" --pdeathsig QUIT)
# The servers' processes, by folder.
declare -A servers=()
command=
# Whether a child is running. Otherwise its number may already be another process's; and bash, if signals meet, can miss
# that one has ended.
runs() { jobs -rp | grep -x "$1" > /dev/null && grep -qs '^State:.[^ZX]' "/proc/$1/status"; }
# shellcheck disable=SC2317 # the trap calls it
stop() {
  trap - EXIT
  if [ -n "$command" ] && runs "$command"; then kill "$command"; fi
  for server in "${servers[@]}"; do
    if runs "$server"; then kill -QUIT "$server"; fi
    wait "$server" || true
  done
  rm -rf "$folder"
} 2> /dev/null
trap stop EXIT
trap 'exit 130' INT TERM

run() {  # FOLDER PROGRAM ARGUMENT...
  if ! (cd "$1" && "${user[@]}" "$bin/$2" "${@:3}" > log 2>&1); then
    cat "$1/log" >&2
    exit 1
  fi
}
start() {  # FOLDER
  # It may be asked to again, while the server recovers.
  if [ -n "${servers[$1]:-}" ] && runs "${servers[$1]}"; then return 0; fi
  pushd "$1" > /dev/null
  # shellcheck disable=SC2086 # they are words
  "${user[@]}" ${POSTGRESQL_UNDER:-} "$bin/postgres" -D data -k "$1" -c listen_addresses= -c max_connections=300 \
    ${POSTGRESQL_OPTIONS:-} >> log 2>&1 &
  servers[$1]=$!
  popd > /dev/null
}
await() {  # FOLDER
  local tries=0
  until "$bin/pg_isready" --quiet --host="$1"; do
    if ! runs "${servers[$1]}" || [ $((tries += 1)) -gt 600 ]; then
      cat "$1/log" >&2
      exit 1
    fi
    sleep 0.05
  done
}

run "$folder" initdb --pgdata=data --username=otp --auth=trust --encoding=UTF8 --locale=C --no-sync
# Members of this role need a password, for the tests of passwords.
sed -i '1i local all +otp_password scram-sha-256\nhost all +otp_password all scram-sha-256' "$folder/data/pg_hba.conf"
start "$folder"
await "$folder"
"$bin/psql" --quiet --host="$folder" --username=otp --dbname=postgres --command="CREATE ROLE otp_password"
export OTP_POSTGRESQL="host=$folder user=otp dbname=postgres" OTP_POSTGRESQL_FOLDER=$folder OTP_POSTGRESQL_PARENT=$$
names=()
while [ "${#names[@]}" -lt "${POSTGRESQL_STANDBYS:-0}" ]; do
  name=standby$((${#names[@]} + 1))
  standby=$folder/$name
  "${user[@]}" mkdir "$standby"
  run "$standby" pg_basebackup --dbname="$OTP_POSTGRESQL application_name=$name" --pgdata=data --write-recovery-conf \
    --checkpoint=fast --no-sync
  start "$standby"
  await "$standby"
  names+=("$name")
done
if [ "${#names[@]}" -gt 0 ]; then
  "$bin/psql" --quiet --dbname="$OTP_POSTGRESQL" \
    --command="ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 ($(IFS=,; echo "${names[*]}"))'" \
    --command="SELECT pg_reload_conf()" > /dev/null
fi
trap 'for server in "${!servers[@]}"; do start "$server"; done' USR1
"$@" <&0 &
command=$!
while :; do
  status=0
  # Without bash's messages about killed servers.
  { wait "$command" || status=$?; } 2> /dev/null
  # Otherwise a signal has interrupted the wait.
  runs "$command" || break
done
command=
exit "$status"
