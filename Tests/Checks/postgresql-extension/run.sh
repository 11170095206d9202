#!/usr/bin/env bash
# Records inside PostgreSQL (LibOTP/postgresql), on servers started for it: pg_regress; trials.py, which says what is
# tried; the suite for logins (../doors); twelve broken builds, which the trials must notice.
#
#   run.sh                                 everything but memcheck and asan
#   run.sh PART...                         only: regress trials doors failover restore hostile faults memcheck asan
#   HOSTILE=100000 run.sh memcheck asan    this many hostile calls, under memcheck, and with AddressSanitizer in the
#                                          extension
#
# In namespaces of their own, the extension is laid over the server's folders, so that nothing is installed.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$(dirname "$0")/../../../Scripts/flavours.sh"
cd "$root"
readonly here=Tests/Checks/postgresql-extension
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(--map-root-user)
for program in node php ruby java escript; do
  if ! command -v "$program" > /dev/null; then
    echo "postgresql-extension: $program is not installed; run Scripts/setup.sh check to install it" >&2
    exit 1
  fi
done
LibOTP/build.sh

# The server, which is not root, must reach it.
work=$(mktemp -d /tmp/otp-extension.XXXXXX)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cp .build-libotp/libotp.so.0 "$work"
cat > "$work/libotp.pc" << PC
Name: libotp
Description: libotp as built
Version: 0
Cflags: -I$root/.build-libotp
Libs: -L$root/.build-libotp -lotp -Wl,-rpath,$work
PC
bin=$(find /usr/lib/postgresql -maxdepth 2 -name bin | sort -V | tail -n 1)
export PKG_CONFIG_PATH=$work OTP_LIBRARY=$root/.build-libotp/libotp.so.0 PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH=$root/LibOTP/bindings/python/src:$root/Tests/Checks/stores PG_CONFIG=$bin/pg_config
PYTHONPATH+=:$root/vectors/conformance/logins/adapters
# Debian's node-pg depends on Debian's Node, but any will do.
NODE_PATH=$(Scripts/foreign.sh "$(dpkg --print-architecture)" node-pg node-split2 node-xtend)/usr/share/nodejs
export NODE_PATH

flags=()
# build NAME [SED]: builds the extension, with a fault.
build() {
  local sources=$work/$1/sources
  mkdir "$work/$1"
  cp -r LibOTP/postgresql "$sources"
  if [ $# -gt 1 ]; then
    sed -i "$2" "$sources"/*.{c,sql}
    if diff -r LibOTP/postgresql "$sources" > /dev/null; then
      echo "postgresql-extension: '$2' plants nothing" >&2
      exit 1
    fi
  fi
  # The next version, to which an update is tried.
  echo "CREATE FUNCTION otp.is_updated() RETURNS bool LANGUAGE sql RETURN true; SELECT otp.permit();" \
    > "$sources/otp_record--0.1.0--0.1.1.sql"
  if ! make -C "$sources" install with_llvm=no DESTDIR="$work/$1/tree" "${flags[@]}" \
    DATA="otp_record--0.1.0.sql otp_record--0.1.0--0.1.1.sql" > "$work/$1/log" 2>&1; then
    cat "$work/$1/log" >&2
    exit 1
  fi
}
# serve NAME COMMAND...: runs a command with a server that has this build.
serve() {
  # shellcheck disable=SC2016 # the variables are those of the inner shell
  POSTGRESQL_OPTIONS="-c max_connections=200 -c shared_preload_libraries=otp_record ${OPTIONS:-}" \
    unshare "${as_root[@]}" --mount bash -euc '
      for folder in "$("$PG_CONFIG" --pkglibdir)" "$("$PG_CONFIG" --sharedir)/extension"; do
        mount -t overlay overlay -o "lowerdir=$0$folder:$folder" "$folder"
      done
      exec Scripts/postgresql.sh "$@"' "$work/$1/tree" "${@:2}"
}
# psycopg2 is Debian's, which another Python earlier in PATH does not see.
trials() { serve "$1" /usr/bin/python3 "$here/trials.py" "$work" "$2"; }

# fault NAME SED MESSAGE: a build that the trials must refuse, and say why.
fault() {
  local name=$1 sed=$2 noticed=$3
  build "$name" "$sed"
  if trials "$name" rule > "$work/$name/trials" 2>&1 || ! grep "$noticed" "$work/$name/trials"; then
    cat "$work/$name/trials" >&2
    echo "postgresql-extension: not noticed: $name" >&2
    exit 1
  fi
}

parts=("$@")
[ $# -gt 0 ] || parts=(regress trials doors failover restore hostile faults)
build extension
for part in "${parts[@]}"; do
  case $part in
    doors)
      # The server's clock is the suite's, in a file that it can write.
      clang -O2 -shared -fPIC -o "$work/clock.so" vectors/conformance/logins/hosts/clock.c
      printf '%-32s' 0 > "$work/clock"
      # For the drivers that know no sockets, a port that is probably free, and that no client gets while the server is
      # down.
      PGPORT=$((20000 + RANDOM % 10000)) OPTIONS="-c listen_addresses=127.0.0.1" OTP_CALL_CLOCK=$work/clock \
        POSTGRESQL_UNDER="env LD_PRELOAD=$work/clock.so OTP_LOGINS_CLOCK=$work/clock" trials extension doors
      ;;
    failover) POSTGRESQL_STANDBYS=1 trials extension failover ;;
    memcheck) TMPDIR=/tmp POSTGRESQL_UNDER="valgrind --quiet" trials extension hostile ;;
    asan)
      flags=(CC=clang "OTP_RECORD_CFLAGS=-fsanitize=address -shared-libsan")
      build asan
      flags=()
      POSTGRESQL_UNDER="env LD_PRELOAD=$(clang -print-file-name="libclang_rt.asan-$(uname -m).so")" \
        ASAN_OPTIONS=detect_leaks=0 trials asan hostile
      ;;
    faults)
      fault no-lock 's/ FOR NO KEY UPDATE//' 'with one code'
      fault no-update 's/(answer->changed || [^)]*))/false/' 'with one code'
      fault uncommitted '/SPI_commit/d' 'what follows in a pipeline'
      fault stale '/XACT_READ_COMMITTED/d' 'a spent code is'
      fault replaced 's/CASE epoch WHEN .* END;/found.record;/' 'of a replaced record'
      fault ended 's/HOLD_INTERRUPTS();//; s/RESUME_INTERRUPTS();//' 'was ended after its check'
      fault telling 's/reason name NOT NULL/reason text NOT NULL/' 'events have the sizes'
      fault cancelled '/SIG_BLOCK/d' 'an answer without a standby'
      fault talkative '/client_min_messages = ERROR/d' 'an early row'
      fault owner '/SetUserIdAndSecContext(caller\.user/d' 'after an error in'
      fault path 's/"pg_catalog, pg_temp", PGC/"public, pg_catalog", PGC/' "the caller's operator"
      fault future 's/found.cause == OTP_CAUSE_EARLY ||/false \&\&/' "'early', 1"
      ;;
    *) trials extension "$part" ;;
  esac
done
echo "postgresql-extension: ${parts[*]}: each code once, each answered failure counted"
