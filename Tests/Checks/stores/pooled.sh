#!/usr/bin/env bash
# Runs a command with PgBouncer in transaction mode in front of Scripts/postgresql.sh's server: pooled.sh COMMAND...
# OTP_POSTGRESQL_POOLED is a symbolic link to the folder of the server that it uses.
set -euo pipefail
folder=$OTP_POSTGRESQL_FOLDER/pooler
user=(setpriv --pdeathsig TERM)
if [ "$(id -u)" -eq 0 ]; then
  user=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups --pdeathsig TERM)
fi
"${user[@]}" mkdir "$folder"
cat > "$folder.ini" << INI
[databases]
* = host=$folder.server user=otp
[pgbouncer]
listen_addr =
unix_socket_dir = $folder
auth_type = any
pool_mode = transaction
default_pool_size = 20
max_client_conn = 500
ignore_startup_parameters = extra_float_digits
logfile = $folder/log
INI
chmod a+r "$folder.ini"
ln -s "$OTP_POSTGRESQL_FOLDER" "$folder.server"
"${user[@]}" "${PGBOUNCER:-/usr/sbin/pgbouncer}" --quiet "$folder.ini" &
trap 'kill $!; wait' EXIT
export OTP_POSTGRESQL="host=$folder port=6432 user=otp dbname=postgres" OTP_POSTGRESQL_POOLED=$folder.server
until pg_isready --quiet --host="$folder" --port=6432; do
  kill -0 $! || { cat "$folder/log" >&2; exit 1; }
  sleep 0.05
done
"$@"
