#!/usr/bin/env bash
# `make conformance`: builds, runs every vector on each implementation, and writes vectors/conformance/results.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$PWD/.build-conformance
export PYTHONDONTWRITEBYTECODE=1
vectors/conformance/build.sh "$build"
source Scripts/flavours.sh
swift_build --package-path Tool "${flavour_tool[@]}"
"$build/venv/bin/python" vectors/conformance/run.py --build "$build" --tool "$PWD/.build-release/release/otp" "$@"
