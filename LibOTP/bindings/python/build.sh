#!/usr/bin/env bash
# Writes the wheel, with libotp inside, and the sdist into a folder. Two builds of one commit are the same bytes.
#
#   LibOTP/bindings/python/build.sh FOLDER
#
# OTP_LIBRARY names a libotp that is built already.
set -euo pipefail
umask 022
folder=$(realpath -m "${1:?usage: build.sh FOLDER}")
cd "$(dirname "$0")"
if [ -z "${OTP_LIBRARY:-}" ]; then
  ../../build.sh > /dev/null
  export OTP_LIBRARY=$PWD/../../../.build-libotp/libotp.so.0
fi
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)} PYTHONDONTWRITEBYTECODE=1
for python in python3 /usr/bin/python3; do "$python" -c 'import setuptools, wheel' 2> /dev/null && break; done

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
name=swift_otp-$(sed -n 's/^version = "\(.*\)"$/\1/p' pyproject.toml)
mkdir -p "$folder" "$stage/$name"
cp --parents README.md pyproject.toml setup.py src/otp/*.py src/otp/py.typed tests/*.py "$stage/$name"
chmod -R a-x,u=rwX,go=rX "$stage/$name"
cp -r "$stage/$name" "$stage/built"
cd "$stage/built"
# (They change sys.argv.)
"$python" -c 'import sys; from setuptools.build_meta import *; _, folder, stage = sys.argv
prepare_metadata_for_build_wheel(stage)
build_wheel(folder)' "$folder" "$stage" > /dev/null
cp "$stage/$name.dist-info/METADATA" "$stage/$name/PKG-INFO"
tar --create --directory="$stage" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
  "$name" | gzip --no-name > "$folder/$name.tar.gz"
