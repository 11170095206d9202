#!/usr/bin/env bash
# login-example as a browser without JavaScript uses it: the whole life of a second factor, its QR code read by zbar,
# replay, locks, recovery codes, sign-out everywhere, forged forms, two languages, and what is kept.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../../../Scripts/flavours.sh
source "$(dirname "$0")/../../../Scripts/flavours.sh"
cd "$root"
swift_build --package-path Servers "${flavour_servers[@]}" --product login-example
export LOGIN_EXAMPLE=$root/.build-servers/debug/login-example PYTHONDONTWRITEBYTECODE=1
cd Tests/Checks/login
echo "login: $(python3 main.py)"
