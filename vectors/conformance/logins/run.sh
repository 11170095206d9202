#!/usr/bin/env bash
# `make conformance-logins`: tests the second factor of each login in peers.py; writes vectors/conformance/results/logins.md.
#
#   run.sh --only 'django-otp' --test replay-at-once     repeats a row, and writes nothing
set -euo pipefail
cd "$(dirname "$0")/../../.."
root=$PWD build=$PWD/.build-conformance
readonly build programs=$build/logins-programs
export PYTHONDONTWRITEBYTECODE=1
if [ -z "${OTP_POSTGRESQL:-}" ]; then
  exec Scripts/postgresql.sh "vectors/conformance/logins/run.sh" "$@"
fi
mkdir -p "$programs"
# In memory: a busy disk would take most of the time, and SIGKILL does not need one.
[ ! -d /dev/shm ] || export TMPDIR=/dev/shm

# venv FOLDER PACKAGE...: Python's packages in a folder of their own. (Flask-Security and privacyIDEA differ about Flask.)
venv() {
  if [ ! -e "$build/$1/bin/python" ]; then python3 -m venv "$build/$1"; fi
  "$build/$1/bin/pip" install --quiet --disable-pip-version-check "${@:2}"
}
venv logins --requirement vectors/conformance/logins/peers.txt

# Ours, as far as they are tested: libotp, the PAM module, and the programs in Go and Swift.
wants() { [[ " $arguments " != *" --only "* || "$arguments" == *"$1"* ]]; }
arguments=$*
if wants privacyIDEA; then venv logins-privacyidea privacyidea 'psycopg[binary]' waitress; fi
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source Scripts/flavours.sh
if { wants own-table || wants pam_otp; } && [ ! -e "$root/.build-libotp/libotp.so.0" ]; then LibOTP/build.sh; fi
if wants pam_otp; then
  LibOTP/build.sh install "$programs/usr" > /dev/null
  PKG_CONFIG_PATH=$programs/usr/lib/pkgconfig make --silent -C LibOTP/examples/pam OUT="$programs" \
    LDFLAGS="-Wl,-rpath,$programs/usr/lib"
fi
if wants 'own-table, Go'; then
  mkdir -p "$programs/go/src/example.com"
  ln -sfn "$root/LibOTP/bindings/go" "$programs/go/src/example.com/otp"
  ln -sfn "$root/LibOTP/examples/own-table/go" "$programs/go/src/example.com/own-table"
  printf '%s\n' 'Name: libotp' 'Description: libotp as built' 'Version: 0' "Cflags: -I$root/.build-libotp" \
    "Libs: -L$root/.build-libotp -lotp -Wl,-rpath,$root/.build-libotp" > "$programs/libotp.pc"
  PKG_CONFIG_PATH=$programs CGO_LDFLAGS_ALLOW='-Wl,-rpath.*' GO111MODULE=off GOFLAGS='' \
    GOPATH=$programs/go:/usr/share/gocode go build -o "$programs/own-table-go" example.com/own-table
fi
if wants 'own-table, Swift'; then
  swift_build "${flavour_client[@]}" --package-path LibOTP/examples/own-table/swift
  ln -sf "$(swift_build "${flavour_client[@]}" --package-path LibOTP/examples/own-table/swift --show-bin-path)/OwnTable" \
    "$programs/OwnTable"
fi
for server in login-example auth-emulator; do
  if wants "$server"; then
    swift_build --package-path Servers "${flavour_servers[@]}" --product "$server"
    ln -sf "$root/.build-servers/release/$server" "$programs/$server"
  fi
done

export OTP_LIBRARY=$root/.build-libotp/libotp.so.0 PYTHONPATH=$root/LibOTP/bindings/python/src
# Two logins at a time; without arguments, the whole table.
if [ $# -eq 0 ]; then set -- --seconds 10 --output vectors/conformance/results --json "$build/logins.json"; fi
"$build/logins/bin/python" vectors/conformance/logins/run.py --peers --jobs 2 "$@"
