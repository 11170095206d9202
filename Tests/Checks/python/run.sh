#!/usr/bin/env bash
# The Python module over libotp: its structures match the header, it passes every vector, it agrees with pyotp, and it
# refuses every wrong argument.
set -euo pipefail
cd "$(dirname "$0")/../../.."
Scripts/libotp.sh
export OTP_LIBRARY=$PWD/.build-libotp/libotp.so.0
export PYTHONPATH=$PWD/Bindings/python PYTHONDONTWRITEBYTECODE=1

# pyotp is Debian's package, which another Python earlier in PATH does not see.
python=
for candidate in python3 /usr/bin/python3; do
  if "$candidate" -c 'import pyotp' 2> /dev/null; then python=$candidate; break; fi
done
if [ -z "$python" ]; then
  echo "python: pyotp is missing (Debian: python3-pyotp)" >&2
  exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd Tests/Checks/python
layout=$("$python" layout.py "$work")
vectors=$("$python" run_vectors.py ../../../vectors)
interface=$("$python" interface.py)
records=$("$python" records.py)
random=$("$python" against_pyotp.py)
example=$("$python" ../../../Examples/python/example.py | tail -n 2 | xargs)
[ "$example" = "accepted rejected" ] || { echo "python: the example says: $example" >&2; exit 1; }
echo "python: $vectors; $random; $layout; $interface; $records"
