#!/usr/bin/env bash
# login-example: a second factor from enrollment to removal, in a browser without JavaScript, with replay, locks,
# recovery codes, sign-out everywhere, forged forms, two languages, what the site stores, and two servers on one
# PostgreSQL database. Then in Chromium, by keyboard: zbar reads the QR code from the screen, and axe-core checks each
# page, on a phone in light and on a desktop in dark. Then api-example, to which the articles leave such a life in code:
# on two processes, with each status.
#
#   run.sh --record    only writes the screenshots of Servers/gallery again
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$(dirname "$0")/../../../Scripts/flavours.sh"
cd "$root"
for product in login-example api-example; do
  swift_build --package-path Servers "${flavour_servers[@]}" --product $product
done
export LOGIN_EXAMPLE=$root/.build-servers/release/login-example API_EXAMPLE=$root/.build-servers/release/api-example
export PYTHONDONTWRITEBYTECODE=1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The manifest of api-example by itself needs the same products.
for manifest in Servers Servers/Sources/APIExample; do
  swift package --package-path $manifest dump-package | python3 -c 'import json, sys
target, = (target for target in json.load(sys.stdin)["targets"] if target["name"] == "api-example")
print(sorted(needed["product"][0] for needed in target["dependencies"]))' >> "$work/products"
done
[ "$(uniq "$work/products" | wc -l)" -eq 1 ]
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check selenium==4.51.0
"$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps axe-playwright-python==0.1.8
# run_tests MODULE...: their browser, and their codes, are those of the suite for running logins.
run_tests() {
  PYTHONPATH=$root/Tests/Checks/login:$root/vectors/conformance/logins/adapters:$root/vectors/conformance/logins \
    "$root/Scripts/postgresql.sh" "$work/venv/bin/python" Tests/Checks/emulator/main.py example "$@"
}
if [ "${1:-}" = --record ]; then
  OTP_GALLERY=$root/Servers/gallery run_tests chromium
  exit
fi
tests=$(run_tests users api guards chromium)
echo "login: $tests"
