#!/usr/bin/env bash
# Writes the wheel, with libotp inside, and the sdist into a folder. Two builds of one commit are the same bytes.
#
#   Bindings/python/build.sh FOLDER
set -euo pipefail
folder=$(realpath -m "${1:?usage: build.sh FOLDER}")
cd "$(dirname "$0")/../.."
Scripts/libotp.sh >&2
export OTP_LIBRARY=$PWD/.build-libotp/libotp.so.0 PYTHONDONTWRITEBYTECODE=1
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
python3 Bindings/python/backend.py "$folder"
