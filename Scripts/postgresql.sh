#!/usr/bin/env bash
# Runs a command beside a PostgreSQL server of its own, which ends with it, whatever happens.
#
#   Scripts/postgresql.sh COMMAND...
#
# The server is Debian's, in a new temporary folder, with one socket there and no port: no cluster of the machine's is
# touched. It runs as an unprivileged user, since it refuses to run as root. The command gets
#
#   OTP_POSTGRESQL          a connection string of the server's administrator
#   OTP_POSTGRESQL_FOLDER   the folder of data, socket and log
#
# POSTGRESQL_OPTIONS has more of the server's options: -c name=value.
set -euo pipefail
bin=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2> /dev/null | sort -V | tail -n 1)
if [ -z "$bin" ]; then
  echo "postgresql: no server is installed; to install it: Scripts/setup.sh test" >&2
  exit 1
fi
# A socket's path has 107 bytes at most: not every TMPDIR leaves room for that.
folder=$(mktemp -d /tmp/otp-postgresql.XXXXXX)
user=()
if [ "$(id -u)" -eq 0 ]; then
  user=(--reuid=nobody --regid="$(id -g nobody)" --clear-groups)
  chown nobody "$folder"
fi
server=
stop() {
  trap - EXIT
  if [ -n "$server" ]; then kill -QUIT "$server" 2> /dev/null || true; wait "$server" || true; fi
  rm -rf "$folder"
} 2> /dev/null
trap stop EXIT
trap 'exit 130' INT TERM
# Also if this script is killed, the kernel ends the server.
user=(setpriv "${user[@]}" --pdeathsig QUIT)
cd "$folder"
"${user[@]}" "$bin/initdb" --pgdata=data --username=otp --auth=trust --encoding=UTF8 --locale=C --no-sync > log 2>&1 \
  || { cat log >&2; exit 1; }
# shellcheck disable=SC2086 # they are words
"${user[@]}" "$bin/postgres" -D data -k "$folder" -c listen_addresses= -c max_connections=300 \
  ${POSTGRESQL_OPTIONS:-} >> log 2>&1 &
server=$!
tries=0
until "$bin/pg_isready" --quiet --host="$folder"; do
  if ! kill -0 "$server" 2> /dev/null || [ $((tries += 1)) -gt 600 ]; then
    cat log >&2
    exit 1
  fi
  sleep 0.05
done
cd "$OLDPWD"
export OTP_POSTGRESQL="host=$folder user=otp dbname=postgres" OTP_POSTGRESQL_FOLDER=$folder
"$@"
