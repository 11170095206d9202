#!/usr/bin/env bash
# `make run` shows everything that README promises, and zbar reads its QR code as the URI above it.
set -euo pipefail
cd "$(dirname "$0")/../../.."
output=$(make run)
echo "$output"

expect() {
  if ! grep -qE "$1" <<< "$output"; then
    echo "run: no line matches: $1" >&2
    exit 1
  fi
}
for file in vectors/*.json; do
  [ "$file" = vectors/schema.json ] || expect "$(basename "$file")"
done
expect '^[0-9]{3,} passed, 0 failed$'
expect '^otpauth://totp/Example:alice%40example\.com\?secret=[A-Z2-7]{32}&issuer=Example$'
expect '^[0-9]{6}$'
expect '^accepted step=[0-9]+ offset=0$'
expect '^replayed$'
expect '^rejected$'

# A factor's life: these lines in this order.
uid='[0-9a-f]{32}'
rest=$output
for line in '^otpauth://totp/Example:alice%40example\.com\?secret=[A-Z2-7]{32}&issuer=Example$' '^secret=[A-Z2-7]{32}$' \
  '^[0-9]{6}$' "^enrolled factor=$uid type=totp$" "^accepted factor=$uid type=totp$" '^rejected$' \
  '^([A-Z2-7]{4}-){5}[A-Z2-7]{4}$' '^accepted factor=recovery type=recovery$' '^rejected$' \
  "^uid=$uid type=totp enrolled=[0-9TZ:-]{20} failures=0 locked=no name=Phone app$" "^unenrolled factor=$uid$" \
  '^\{"factors":\[\]\}$'; do
  number=$(grep -nE -m 1 "$line" <<< "$rest" | cut -d : -f 1) || {
    echo "run: no line matches, or only out of order: $line" >&2
    exit 1
  }
  rest=$(tail -n +$((number + 1)) <<< "$rest")
done

image=$(mktemp)
trap 'rm -f "$image"' EXIT
PYTHONDONTWRITEBYTECODE=1 Tests/Checks/qr/qr_image.py <<< "$output" > "$image"
uri=$(zbarimg --nodbus --raw -q -Sdisable -Sqrcode.enable "$image")
# The URI above the drawing, with the secret that is printed below it.
secret=${uri#*secret=}
if ! grep -qxF "$uri" <<< "$output" || ! grep -qx "secret=${secret%%&*}" <<< "$output"; then
  echo "run: the QR code is not that of the printed URI" >&2
  exit 1
fi
echo "run: vectors, a code verified, replayed and refused, and a factor's life from its QR code on were shown"
