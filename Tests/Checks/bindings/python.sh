#!/usr/bin/env bash
# The Python package: two builds give the same bytes, the sdist gives the same wheel, and the wheel, installed in a
# fresh environment, passes LibOTP/bindings/python/tests and mypy.
set -euo pipefail
cd "$(dirname "$0")/../../.."
root=$PWD
export PYTHONDONTWRITEBYTECODE=1
fail() {
  echo "python: $1" >&2
  exit 1
}

# pyotp is Debian's package, which another Python earlier in PATH does not see.
python=
for candidate in python3 /usr/bin/python3; do
  if "$candidate" -c 'import pyotp' 2> /dev/null; then python=$candidate; break; fi
done
[ -n "$python" ] || fail "pyotp is missing (Debian: python3-pyotp)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
LibOTP/bindings/python/build.sh "$work/one" 2> "$work/log" || fail "$(< "$work/log")"
wheel=$(basename "$work"/one/*.whl)

# Again from a copy in another folder, with other times, modes and owners, as another user if that is possible.
mkdir "$work/other" "$work/two"
cp -r LibOTP/bindings/python "$work/other/copy"
find "$work/other/copy" -exec touch -d 2001-02-03 {} +
chmod -R go=,u+x "$work/other/copy"
as_another=()
if [ "$(id -u)" = 0 ]; then
  chown -R 65534:65534 "$work/other" "$work/two"
  chmod 711 "$work"
  as_another=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
cp .build-libotp/libotp.so.0 "$work/other/libotp.so.0"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
(umask 077 && cd / && OTP_LIBRARY=$work/other/libotp.so.0 TMPDIR=$work/other TZ=Asia/Tokyo \
  "${as_another[@]}" "$work/other/copy/build.sh" "$work/two") > "$work/log" 2>&1 || fail "$(< "$work/log")"
diff -r "$work/one" "$work/two" > /dev/null || fail "two builds differ"

# What README says of the platform is what the library needs.
needs=$(readelf --version-info .build-libotp/libotp.so.0 | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1)
grep -q "glibc ${needs#GLIBC_} or later" LibOTP/bindings/python/README.md || fail "README does not say that $needs is needed"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' LibOTP/bindings/python/pyproject.toml)
[ "$wheel" = "swift_otp-$version-py3-none-linux_$(uname -m).whl" ] || fail "the wheel is named $wheel"

# Debian's pyotp is seen; the module otp must be the wheel's.
"$python" -m venv --system-site-packages "$work/venv"
pip=("$work/venv/bin/pip" --quiet --disable-pip-version-check)
"${pip[@]}" install --no-index --no-deps "$work/one/$wheel"
installed=$(cd / && "$work/venv/bin/python" -c 'import otp; print(otp.__file__)')
case $installed in "$work/venv/"*) ;; *) fail "the module is $installed" ;; esac

# The sdist gives the same wheel, or says that it needs a library.
build=("${pip[@]}" wheel --no-index --no-deps --no-build-isolation -w "$work/three" "$work"/one/*.tar.gz)
OTP_LIBRARY=$root/.build-libotp/libotp.so.0 "${build[@]}" > /dev/null
cmp "$work/one/$wheel" "$work/three/$wheel"
if OTP_LIBRARY=/nonexistent/libotp.so.0 "${build[@]}" > "$work/log" 2>&1; then
  fail "the sdist was built without a library"
fi
grep -q 'swift-otp: /nonexistent/libotp.so.0 is missing: install libotp' "$work/log" || fail "$(< "$work/log")"

cd "$work"
"$work/venv/bin/python" -m unittest discover -s "$root/LibOTP/bindings/python/tests" > "$work/log" 2>&1 \
  || fail "$(< "$work/log")"
# Here nothing may be skipped.
tail -n 1 "$work/log" | grep -qx OK || fail "$(< "$work/log")"
tests=$(sed -n 's/^Ran \([0-9]* tests\).*/\1/p' "$work/log")
python3 "$root/vectors/conformance/run.py" --exact "$work/venv/bin/python $root/vectors/conformance/adapters/libotp_adapter.py" \
  > "$work/log" || fail "$(< "$work/log")"
mypy --strict --cache-dir "$work/mypy" "$root/LibOTP/bindings/python/src" > "$work/log" || fail "$(< "$work/log")"
size=$(stat -c %s "$work/one/$wheel")
echo "python: two builds of $wheel are the same $size bytes; $tests pass on it, mypy finds nothing"
