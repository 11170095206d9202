#!/usr/bin/env bash
# A slice of `make conformance`: every vector by the line protocol, of libotp, which fails none, and of Debian's pyotp;
# then that a wrong answer, an adapter that dies and one that hangs are noticed.
set -euo pipefail
cd "$(dirname "$0")/../../.."
Scripts/libotp.sh
export PYTHONDONTWRITEBYTECODE=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cc -O2 -Wall -Wextra -Werror -I.build-libotp Conformance/adapters/libotp.c -o "$work/libotp" -L.build-libotp -lotp \
  "-Wl,-rpath,$PWD/.build-libotp"
# pyotp is Debian's package, for Debian's Python.
mkdir -p "$work/venv/bin"
ln -s /usr/bin/python3 "$work/venv/bin/python"
python=$work/venv/bin/python

# The claims are of PyPI's version.
echo '[]' > "$work/claims.json"
"$python" Conformance/run.py --build "$work" --output "$work/results" --claims "$work/claims.json" --no-timing \
  --only libotp pyotp > "$work/log" || { cat "$work/log" >&2; exit 1; }
controls=$("$python" Tests/Checks/conformance/controls.py "$work/libotp")
# README shows the table of the last `make conformance`.
while read -r line; do
  grep -qFx "$line" README.md || { echo "conformance: README lacks: $line" >&2; exit 1; }
done < <(grep '^| ' Conformance/results/conformance.md)
echo "conformance: $(grep '^libotp: ' "$work/log"); $(grep '^pyotp: ' "$work/log"); $controls"
