#!/usr/bin/env bash
# The runner of vectors: every vector through the line protocol, for libotp, which must fail none, and for
# Debian's pyotp; then a wrong answer, an adapter that dies and one that hangs must be noticed.
set -euo pipefail
cd "$(dirname "$0")/../../.."
LibOTP/build.sh
export PYTHONDONTWRITEBYTECODE=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cc -O2 -Wall -Wextra -Werror -I.build-libotp vectors/conformance/adapters/libotp.c -o "$work/libotp" -L.build-libotp -lotp \
  "-Wl,-rpath,$PWD/.build-libotp"
# pyotp comes from Debian's package, for Debian's Python.
mkdir -p "$work/venv/bin"
ln -s /usr/bin/python3 "$work/venv/bin/python"
python=$work/venv/bin/python

# The claims are about PyPI's version.
echo '[]' > "$work/claims.json"
"$python" vectors/conformance/run.py --build "$work" --output "$work/results" --claims "$work/claims.json" \
  --only libotp pyotp > "$work/log" || { cat "$work/log" >&2; exit 1; }
# One's own adapter, without anything else built: a right one, and one that gets every code of 8 digits wrong.
"$python" vectors/conformance/run.py --adapter "$work/libotp" > "$work/own" || { cat "$work/own" >&2; exit 1; }
[ "$(wc -l < "$work/own")" = 1 ]
printf '#!/bin/sh\n%s\n' "exec $work/libotp | sed -u 's/^ok [0-9]\{8\}\$/ok 1/'" > "$work/wrong"
chmod +x "$work/wrong"
if "$python" vectors/conformance/run.py --adapter "$work/wrong" > "$work/own"; then
  echo "conformance: wrong codes are not noticed" >&2
  exit 1
fi
if "$python" vectors/conformance/run.py --exact "$work/wrong" > "$work/exact"; then
  echo "conformance: wrong codes of a binding are not noticed" >&2
  exit 1
fi
grep -q '^conformance: .* 21 failed' "$work/exact"
head -n 1 "$work/own" | grep -q '^failed: hotp, '
head -n 4 "$work/own" | grep -q '^  answer:   ok 1$'
# A run of one keeps the other's row.
"$python" vectors/conformance/run.py --build "$work" --output "$work/results" --claims "$work/claims.json" \
  --only libotp > /dev/null
[ "$(grep -cE '^\| (libotp|pyotp) ' "$work/results/conformance.md")" = 2 ]
controls=$("$python" Tests/Checks/bindings/controls.py "$work/libotp")
echo "conformance: $(grep '^libotp: ' "$work/log"); $(grep '^pyotp: ' "$work/log"); $controls"
