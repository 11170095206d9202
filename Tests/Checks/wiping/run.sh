#!/usr/bin/env bash
# Uses the engine in many ways, error paths included, and then searches all of the process's own memory, freed and
# stack included, for any 8 bytes of the key material. Traces planted on purpose must be found, others must not.
set -euo pipefail
cd "$(dirname "$0")"
build=../../../.build-wiping

swift build -c release --scratch-path "$build"
"$build/release/wiping-check"
