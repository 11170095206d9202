#!/usr/bin/env bash
# `make run` shows everything that README promises, first of all a key, without a warning, and zbar reads its QR code as
# the URI above it. Then the tool that this built: QR codes on every kind of terminal, key files that are meant to exhaust
# the reader (a million rows, a gibibyte without a line ending, entities, deep nesting), the programs of *Moving in* on users of five systems, and its installation.
set -euo pipefail
cd "$(dirname "$0")/../../.."
output=$(make run 2>&1)
echo "$output"

expect() {
  if ! grep -qE "$1" <<< "$output"; then
    echo "first-run: no line matches: $1" >&2
    exit 1
  fi
}
if grep '^otp: ' <<< "$output" || [[ $(grep -m 1 -A 1 '^== ' <<< "$output") != *$'\n'otpauth://* ]]; then
  echo "first-run: a warning, or something else before the key" >&2
  exit 1
fi
expect '^[0-9]{3,} passed, 0 failed$'
expect '^otpauth://totp/Example:alice%40example\.com\?secret=[A-Z2-7]{32}&issuer=Example$'
expect '^[0-9]{6}$'
expect '^accepted step=[0-9]+ offset=0$'
expect '^replayed$'
expect '^rejected$'

# A factor's life: these lines in this order.
uid='[0-9a-f]{32}'
facts='failures=0 acceptances=[0-9]+ .*algorithm=SHA1 digits=6 period=30 .*name=Phone app'
rest=$output
for line in '^otpauth://totp/Example:alice%40example\.com\?secret=[A-Z2-7]{32}&issuer=Example$' '^secret=[A-Z2-7]{32}$' \
  '^[0-9]{6}$' "^enrolled factor=$uid type=totp$" "^accepted factor=$uid type=totp$" '^rejected$' \
  '^([A-Z2-7]{4}-){5}[A-Z2-7]{4}$' '^accepted factor=recovery type=recovery$' '^rejected$' \
  "^uid=$uid type=totp state=active enrolled=[0-9TZ:-]{20} $facts$" "^unenrolled factor=$uid$" \
  '^\{"factors":\[\],"recoveryCodes":0\}$'; do
  number=$(grep -nE -m 1 "$line" <<< "$rest" | cut -d : -f 1) || {
    echo "first-run: no line matches, or only out of order: $line" >&2
    exit 1
  }
  rest=$(tail -n +$((number + 1)) <<< "$rest")
done

image=$(mktemp)
trap 'rm -f "$image"' EXIT
PYTHONDONTWRITEBYTECODE=1 Tests/Checks/first-run/qr_image.py <<< "$output" > "$image"
uri=$(zbarimg --nodbus --raw -q -Sdisable -Sqrcode.enable "$image")
# The URI above the drawing, with the secret that is printed below it.
secret=${uri#*secret=}
if ! grep -qxF "$uri" <<< "$output" || ! grep -qx "secret=${secret%%&*}" <<< "$output"; then
  echo "first-run: the QR code is not that of the printed URI" >&2
  exit 1
fi

Tests/Checks/first-run/qr.sh
place=$(mktemp -d)
trap 'rm -rf "$image" "$place"' EXIT
python3 Tests/Checks/first-run/bombs.py "$PWD/.build-release/release/otp" "$place"

# venv NAME PACKAGE...: privacyIDEA and the others need different versions of what they share.
venv() {
  python3 -m venv "$place/$1"
  "$place/$1/bin/pip" install --quiet --disable-pip-version-check "${@:2}"
}
venv django django-otp==1.7.5 'django-allauth[mfa]==65.22.1'
venv privacyidea privacyidea==3.14
mkdir "$place/moving"
PYTHONDONTWRITEBYTECODE=1 Tests/Checks/first-run/moving/run.py "$PWD/.build-release/release/otp" "$place/moving" \
  {django_otp,allauth}="$place/django/bin/python" privacyidea="$place/privacyidea/bin/python" devise=ruby \
  google_authenticator=/usr/bin/python3

# Installed, it needs no toolchain, and is removed again.
DESTDIR="$place" Scripts/install-tool.sh install /usr > "$place/log"
[ "$(env -i "$place/usr/bin/otp" --version)" = "$(sed -n 's/^#define OTP_VERSION "\(.*\)"/\1/p' LibOTP/include/otp.h)" ]
if ldd "$place/usr/bin/otp" | grep -qE 'swift|Foundation|not found'; then
  echo "first-run: the installed tool needs a library that a system lacks" >&2
  exit 1
fi
env -i "$place/usr/bin/otp" --help | grep -q recovery-codes
completions=(bash-completion/completions/otp zsh/vendor-completions/_otp fish/vendor_completions.d/otp.fish)
for file in "${completions[@]}"; do grep -q explain "$place/usr/share/$file"; done
bash -n "$place/usr/share/${completions[0]}"
MANPATH=$place/usr/share/man man --where otp > /dev/null
DESTDIR="$place" Scripts/install-tool.sh uninstall /usr > "$place/log"
[ -z "$(find "$place/usr" -type f)" ]
echo "first-run: vectors, a code verified, replayed and refused, and a factor's life from its QR code on were shown"
