#!/usr/bin/env bash
# `make conformance`: builds, asks every implementation every vector, and writes Conformance/results.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$PWD/.build-conformance
export PYTHONDONTWRITEBYTECODE=1
Conformance/build.sh "$build"
source Scripts/flavours.sh
swift_build --package-path Tool "${flavour_release[@]}" --product otp
"$build/venv/bin/python" Conformance/run.py --build "$build" --tool "$PWD/.build-release/release/otp" "$@"
