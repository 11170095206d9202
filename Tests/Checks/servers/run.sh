#!/usr/bin/env bash
# The programs of Servers, as their clients use them.
#
# auth-emulator: exactly what the JS and iOS SDKs send; firebase-admin, unmodified; every error of the second factors;
# exports and imports; what a person sees; and 10^4 of these requests with one value changed.
#
# login-example: a second factor from enrollment to removal, in a browser without JavaScript, with recovery codes,
# sign-out everywhere, forged forms, two languages, what the site stores, and two servers on one PostgreSQL database.
# Then in Chromium, by keyboard: zbar reads the QR code from the screen, and axe-core checks each page, on a phone in
# light and on a desktop in dark. Then api-example, to which the articles leave such a life in code: on two processes.
#
# (The check `doors` has replays and guesses, by many at once.)
#
#   run.sh                    all of them
#   run.sh emulator|login     auth-emulator, or the others
#   run.sh --record           only writes the screenshots of Servers/gallery again
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$(dirname "$0")/../../../Scripts/flavours.sh"
cd "$root"
for product in auth-emulator login-example api-example; do
  swift_build --package-path Servers "${flavour_servers[@]}" --product $product
done
readonly built=$root/.build-servers/release here=$root/Tests/Checks/servers logins=$root/vectors/conformance/logins
export AUTH_EMULATOR=$built/auth-emulator LOGIN_EXAMPLE=$built/login-example API_EXAMPLE=$built/api-example
# Processes, browsers and codes are those of the suite for running logins.
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/emulator:$here/login:$logins/adapters:$logins

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
install() { "$work/venv/bin/pip" install --quiet --disable-pip-version-check "$@"; }
install firebase-admin==7.7.0 selenium==4.51.0
install --no-deps axe-playwright-python==0.1.8
run_tests() { Scripts/postgresql.sh "$work/venv/bin/python" "$here/main.py" "$@"; }

if [ "${1:-}" = --record ]; then
  export OTP_GALLERY=$root/Servers/gallery
  run_tests client shown
  run_tests example chromium
  exit
fi
tests=
if [ "${1:-emulator}" = emulator ]; then
  tests=$(run_tests client flows errors admin federated accounts projects shown kept fuzz)
fi
if [ "${1:-login}" = login ]; then
  # The manifest of api-example by itself needs the same products.
  for manifest in Servers Servers/Sources/APIExample; do
    swift package --package-path $manifest dump-package | python3 -c 'import json, sys
target, = (target for target in json.load(sys.stdin)["targets"] if target["name"] == "api-example")
print(sorted(needed["product"][0] for needed in target["dependencies"]))' >> "$work/products"
  done
  [ "$(uniq "$work/products" | wc -l)" -eq 1 ]
  tests+=${tests:+; }$(run_tests example users api guards chromium)
fi
echo "servers: $tests"
