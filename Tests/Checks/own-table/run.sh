#!/usr/bin/env bash
# The programs of LibOTP/examples/own-table hold under trials, on PostgreSQL and SQLite (trials.py), and Python's on etcd
# (etcd.py). Go's, C's and Python's with the rule broken must not.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$(dirname "$0")/../../../Scripts/flavours.sh"
if [ -z "${OTP_POSTGRESQL:-}" ]; then
  POSTGRESQL_OPTIONS="-c max_connections=200" exec "$root/Scripts/postgresql.sh" "$0" "$@"
fi
cd "$root"
LibOTP/build.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

swift=("${flavour_client[@]}" --package-path LibOTP/examples/own-table/swift)
swift_build "${swift[@]}"

tool=("${flavour_client[@]}" --package-path Tool)
swift_build "${tool[@]}" --product otp

# Go's packages are Debian's, outside of modules, so that nothing is fetched.
cat > "$work/libotp.pc" << PC
Name: libotp
Description: libotp as built
Version: 0
Cflags: -I$root/.build-libotp
Libs: -L$root/.build-libotp -lotp -Wl,-rpath,$root/.build-libotp
PC
export PKG_CONFIG_PATH=$work CGO_LDFLAGS_ALLOW='-Wl,-rpath.*' GO111MODULE=off GOFLAGS='' GOPATH=$work/go:/usr/share/gocode
mkdir -p "$work/go/src/example.com"
ln -s "$root/LibOTP/bindings/go" "$work/go/src/example.com/otp"
# copy LANGUAGE FOLDER [FILE SED]: a program's sources, with a fault.
copy() {
  cp -r "LibOTP/examples/own-table/$1" "$2"
  if [ $# -gt 2 ]; then
    sed -i "$4" "$2/$3"
    if cmp -s "LibOTP/examples/own-table/$1/$3" "$2/$3"; then
      echo "own-table: '$4' plants nothing" >&2
      exit 1
    fi
  fi
}
go_program() {  # NAME [FILE SED]
  copy go "$work/go/src/example.com/$1" "${@:2}"
  go build -o "$work/$1" "example.com/$1"
}
go_program own-table
# shellcheck disable=SC2016 # no variables, but SQL's parameters
go_program replaces-anything factors.go 's/ AND otp = $3/ AND $3 <> $1/'
go_program answers-always factors.go 's/return count == 1, err/return count >= 0, err/'
c_program() {  # NAME [FILE SED]
  copy c "$work/c-$1" "${@:2}"
  # shellcheck disable=SC2046 # a list of flags
  clang -std=c99 -pedantic -O2 -Wall -Wextra -Werror -pthread "$work/c-$1/main.c" "$work/c-$1/factors.c" \
    $(pkg-config --cflags --libs libotp libpq sqlite3) -o "$work/$1"
}
c_program own-table-c
c_program answers-always-c factors.c 's/rows == 0) continue/rows < 0) continue/'
copy python "$work/compares-nothing" etcd_factors.py '/"compare": /s/\[.*\]/[]/'
copy python "$work/unknown-is-success" etcd_factors.py 's/ else self._read(key).*/ else True/'

(
  source Tests/Checks/bindings/environment.sh
  cargo build --quiet --manifest-path LibOTP/examples/own-table/rust/Cargo.toml
)

export OTP_LIBRARY=$root/.build-libotp/libotp.so.0 PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH=$root/LibOTP/bindings/python/src:$root/vectors/conformance/logins/adapters
# psycopg2 is Debian's, which another Python earlier in PATH does not see.
python=/usr/bin/python3
trials() {
  mkdir "$work/place"
  "$python" Tests/Checks/own-table/trials.py "$work/place" "$@" && found=0 || found=$?
  rm -rf "$work/place"
  return "$found"
}
for fault in replaces-anything answers-always answers-always-c; do
  if trials "faulty=$work/$fault" > /dev/null 2>&1; then
    echo "own-table: the fault $fault is not noticed" >&2
    exit 1
  fi
done
held=$(trials "swift=$(swift_build "${swift[@]}" --show-bin-path)/OwnTable" "go=$work/own-table" \
  "c=$work/own-table-c" "python=$python LibOTP/examples/own-table/python/main.py" \
  "served=$python Tests/Checks/own-table/served.py $(swift_build "${tool[@]}" --show-bin-path)/otp" \
  "rust=env LD_LIBRARY_PATH=$root/.build-libotp $root/.build-rust/target/debug/own-table")
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(--map-root-user)
mkdir "$work/etcd"
# In namespaces of their own, the members see no other network, and end with this script.
# shellcheck disable=SC2016 # the variables are those of the inner shell
on_etcd=$(setpriv --pdeathsig KILL unshare "${as_root[@]}" --net --pid --fork --kill-child --mount-proc bash -c \
  'mount -t tmpfs none /run && "$@"; exit $?' etcd "$python" Tests/Checks/own-table/etcd.py "$work/etcd" \
  "$python LibOTP/examples/own-table/python/main.py" "$python $work"/{compares-nothing,unknown-is-success}/main.py)
echo "own-table: $held; three broken ones are noticed; $on_etcd"
