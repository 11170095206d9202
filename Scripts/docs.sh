#!/usr/bin/env bash
# Builds the documentation of each public module that has a DocC catalog, into .build-docs. A warning is an error.
# The traits are on, so that what stands under them is documented too.
set -euo pipefail
cd "$(dirname "$0")/.."
build=.build-docs

for catalog in Sources/*/*.docc; do
  module=$(basename "$catalog" .docc)
  rm -rf "$build/symbols" && mkdir -p "$build/symbols"
  # The symbol graph comes from the compiler, which must therefore compile the module anew.
  touch "Sources/$module"/*.swift
  swift build --scratch-path "$build" --traits SQLite,Observability --target "$module" \
    -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc "$PWD/$build/symbols"
  find "$build/symbols" -name '*.symbols.json' ! -name "$module.symbols.json" ! -name "$module@*.symbols.json" -delete
  docc convert "$catalog" --warnings-as-errors --fallback-display-name "$module" \
    --fallback-bundle-identifier "swift-otp.$module" --additional-symbol-graph-dir "$build/symbols" \
    --output-path "$build/$module.doccarchive"
  echo "docs: $build/$module.doccarchive (docc preview $catalog, or any static web server, shows it)"
done
