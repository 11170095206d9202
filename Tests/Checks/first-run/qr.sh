#!/usr/bin/env bash
# zbar must read the QR codes that the tool draws, from images of the terminal: piped and in color, on a dark and on a
# light background. A damaged or different code must not pass. Called by the check `first-run`.
set -euo pipefail
cd "$(dirname "$0")/../../.."
export PYTHONDONTWRITEBYTECODE=1
otp=.build-release/release/otp
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
decoded=0

# Whether the QR code in a file of terminal output, shown on a dark or light terminal, decodes to exactly that text.
reads_as() {
  local uri=$1 output=$2 terminal=$3
  Tests/Checks/first-run/qr_image.py "$terminal" < "$output" > "$work/image.pgm" || exit 1
  [ "$(zbarimg --nodbus --raw -q -Sdisable -Sqrcode.enable "$work/image.pgm")" = "$uri" ]
}

expect_reads_as() {
  if ! reads_as "$@"; then
    echo "qr: not read on a $3 terminal: $(head -c 60 <<< "$1")" >&2
    exit 1
  fi
  decoded=$((decoded + 1))
}

# Whether there are escape sequences in a file.
has_escapes() { grep -q $'\x1b' "$1"; }

# Runs the tool on a pseudo-terminal.
in_terminal() {
  local command
  command=$(printf '%q ' "$@")
  env -u NO_COLOR TERM=xterm-256color script --quiet --return --command "$command" /dev/null < /dev/null
}

# One URI, in every way in which it can be shown.
check() {
  local uri
  uri=$("$otp" uri build "$@")
  "$otp" uri build "$@" --qr > "$work/piped"
  in_terminal "$otp" uri build "$@" --qr > "$work/colored"
  in_terminal env NO_COLOR=1 "$otp" uri build "$@" --qr > "$work/uncolored"
  [ "$(head -n 1 "$work/piped")" = "$uri" ]
  if has_escapes "$work/piped" || has_escapes "$work/uncolored" || ! has_escapes "$work/colored"; then
    echo "qr: escape sequences are present in plain output or missing in color" >&2
    exit 1
  fi
  expect_reads_as "$uri" "$work/piped" dark
  expect_reads_as "$uri" "$work/uncolored" dark
  expect_reads_as "$uri" "$work/colored" dark
  expect_reads_as "$uri" "$work/colored" light
}

sha1=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ
sha512=$(printf 'GEZDGNBVGY3TQOJQ%.0s' {1..6})GEZDGNA
long=$(printf 'a-rather-long-name.%.0s' {1..10})

check --secret GEZDGNBV --account a
check --secret "$sha1" --issuer 'Söhne & 👩‍💻' --account '日本語+a@b'
check --secret "$sha1" --type hotp --counter 18446744073709551615 --issuer Example --account alice@example.com
check --secret "$sha512" --algorithm SHA512 --digits 8 --period 60 --issuer "$long" --account "$long@example.com" \
  --all-parameters
# The longest URI: 2,048 bytes.
check --secret "$sha1" --account "$(printf 'x%.0s' {1..1993})"
[ "$(head -n 1 "$work/piped" | wc -c)" -eq 2049 ]

# `otp enroll` draws the URI that it prints. It gets no code here, so it ends with an error.
"$otp" store create --store "$work/factors.sqlite" > /dev/null
# shellcheck disable=SC2016
enrolling=(bash -c '! "$0" enroll "Zoë & co@example.com" --issuer "Söhne +1" --store "$1" < /dev/null'
  "$otp" "$work/factors.sqlite")
"${enrolling[@]}" > "$work/piped"
in_terminal "${enrolling[@]}" > "$work/colored"
for output in piped colored; do
  uri=$(grep -m 1 '^otpauth://' "$work/$output" | tr -d '\r')
  expect_reads_as "$uri" "$work/$output" dark
done
expect_reads_as "$uri" "$work/colored" light

# The controls: another text, damage beyond what level M corrects, and light and dark exchanged, as when a light
# terminal shows a drawing without colors.
uri=$("$otp" uri build --secret "$sha1" --account alice)
"$otp" uri build --secret "$sha1" --account alice --qr > "$work/whole"
expect_reads_as "$uri" "$work/whole" dark
LC_ALL=C.UTF-8 sed '9,15y/█▀▄ / ▄▀█/' "$work/whole" > "$work/damaged"
if cmp -s "$work/whole" "$work/damaged"; then
  echo "qr: nothing was damaged" >&2
  exit 1
fi
if reads_as "${uri/alice/bob}" "$work/whole" dark || reads_as "$uri" "$work/damaged" dark \
  || reads_as "$uri" "$work/whole" light; then
  echo "qr: a wrong QR code passed" >&2
  exit 1
fi
echo "qr: $decoded codes decoded by zbar, on dark and light terminals; another, a damaged and an inverted one refused"
