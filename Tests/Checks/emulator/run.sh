#!/usr/bin/env bash
# auth-emulator as its clients use it: exactly what the JS and iOS SDKs send; firebase-admin, unmodified; every error of
# the second factors; exports and imports; what a person sees; what no client should send; and 10^4 of these requests
# with one value changed. (The check `doors` has many sign-ins at once.)
#
#   run.sh --record    only writes the screenshot in Servers/gallery again
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$(dirname "$0")/../../../Scripts/flavours.sh"
cd "$root"
swift_build --package-path Servers "${flavour_servers[@]}" --product auth-emulator
export AUTH_EMULATOR=$root/.build-servers/release/auth-emulator PYTHONDONTWRITEBYTECODE=1
# Processes and codes are as in the suite for running logins.
export PYTHONPATH=$root/vectors/conformance/logins/adapters:$root/vectors/conformance/logins

if [ "${1:-}" = --record ]; then
  exec python3 Tests/Checks/emulator/picture.py "$root/Servers/gallery/emulator.png"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check firebase-admin==7.7.0

cd Tests/Checks/emulator
tests=$("$work/venv/bin/python" main.py client \
  flows errors admin federated accounts projects shown kept hostile fuzz)
echo "emulator: $tests"
