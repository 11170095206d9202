#!/usr/bin/env bash
# Builds the documentation of each public module (each with a DocC catalog) into .build-docs. A warning is an error. All
# traits are enabled, so that what depends on them is documented too.
set -euo pipefail
cd "$(dirname "$0")/.."
build=.build-docs

Scripts/symbols.sh "$build/symbols"
for catalog in Sources/*/*.docc; do
  module=$(basename "$catalog" .docc)
  docc convert "$catalog" --warnings-as-errors --fallback-display-name "$module" \
    --fallback-bundle-identifier "swift-otp.$module" --additional-symbol-graph-dir "$build/symbols/$module" \
    --output-path "$build/$module.doccarchive"
  echo "docs: $build/$module.doccarchive (docc preview $catalog, or any static web server, shows it)"
done
