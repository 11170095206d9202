#!/usr/bin/env bash
# A store's errors for servers that it cannot use, tested on the server of Scripts/postgresql.sh, which listens on
# 127.0.0.1 at PGPORT: errors.sh PROGRAM. Each has one error, without the password.
set -euo pipefail
program=$1 folder=$OTP_POSTGRESQL_FOLDER count=0
work=$(mktemp -d)
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
trap '"${as_root[@]}" umount "$folder/small" 2> /dev/null || true; rm -rf "$work"' EXIT

expect() {  # KIND URL DOCUMENTS...
  local said
  said=$("$program" probe "user=otp dbname=postgres password=hunter2 $2" "${@:3}")
  said=${said#"store: "}
  if [[ $said != "$1"* || $said == *hunter2* ]]; then
    echo "postgresql: '$2' ends in $said, and not in $1" >&2
    exit 1
  fi
  count=$((count + 1))
}
ask() { psql --quiet --dbname="$OTP_POSTGRESQL" --command="$1" > /dev/null; }
certificate() {  # NAME HOST
  openssl req -x509 -newkey rsa:2048 -nodes -keyout "$work/$1.key" -out "$work/$1.pem" -days 2 -subj "/CN=$2" \
    -addext "subjectAltName=DNS:$2" 2> /dev/null
}

# A server with a certificate for db.example.
certificate server db.example
certificate other db.example
install -m 0644 "$work/server.pem" "$folder/data/server.crt"
install -m 0600 "$work/server.key" "$folder/data/server.key"
chown --reference="$folder/data" "$folder/data"/server.*
expect untrusted "host=127.0.0.1"
ask "ALTER SYSTEM SET ssl = on"
ask "SELECT pg_reload_conf()"
until psql "host=127.0.0.1 user=otp dbname=postgres sslmode=require" --command="SELECT 1" > /dev/null 2>&1; do sleep 0.1; done
trusted="hostaddr=127.0.0.1 sslrootcert=$work/server.pem"
expect made "host=db.example $trusted"
expect untrusted "host=other.example $trusted"
expect untrusted "host=db.example hostaddr=127.0.0.1 sslrootcert=$work/other.pem"
expect untrusted "host=db.example hostaddr=127.0.0.1 sslrootcert=$work/nothing.pem"
expect made "host=db.example,db.example hostaddr=127.0.0.2,127.0.0.1 sslrootcert=$work/server.pem"
ask "CREATE ROLE bound LOGIN PASSWORD 'hunter2' IN ROLE otp_password"
expect forbidden "host=db.example $trusted channel_binding=require user=bound"
expect authenticationFailed "host=db.example $trusted channel_binding=require user=bound password=hunter3"
# A role without a password would prove nothing.
expect authenticationFailed "host=db.example $trusted channel_binding=require"
expect unreachable "host=127.0.0.1 port=1 sslmode=disable"
expect unreachable "host=nowhere.invalid"
for level in off local remote_write; do
  expect notDurable "host=$folder options='-c synchronous_commit=$level'"
done
expect made "host=$folder options='-c synchronous_commit=remote_apply'"

# A disk of one mebibyte.
"${as_root[@]}" mkdir "$folder/small"
"${as_root[@]}" mount -t tmpfs -o "size=1m,mode=0700,uid=$(stat -c %u "$folder/data")" none "$folder/small"
ask "DROP SCHEMA otp CASCADE"
ask "CREATE TABLESPACE small LOCATION '$folder/small'"
expect "full (SQLSTATE 53100)" "host=$folder options='-c default_tablespace=small'" 1000
expect made "host=$folder" 10
ask "DROP SCHEMA otp CASCADE"
ask "DROP TABLESPACE small"
echo "processes: $count usable and unusable servers were told apart"
