#!/usr/bin/env bash
# Builds the documentation as one site, .build-docs/site: README, by reader, with all other Markdown files, and DocC's
# archive of each public module, with all traits, so that what depends on them is documented too. A warning, such as a
# link that leads nowhere, is an error.
#
#   docs.sh [SYMBOLS]    with the symbol graphs in a folder, if Scripts/symbols.sh has written them
set -euo pipefail
cd "$(dirname "$0")/.."
build=.build-docs

symbols=${1:-$build/symbols}
[ $# -gt 0 ] || Scripts/symbols.sh "$symbols"
mkdir -p "$build/none"
rm -rf "$build"/*.doccarchive "$build/site"
Scripts/site.py "$build/catalogs"
for graphs in "$build/none/" "$symbols"/*/; do
  module=$(basename "$graphs")
  [ "$module" != none ] || module=swift-otp
  catalog=$build/catalogs/$module.docc
  [ -d "$catalog" ] || catalog=
  docc convert ${catalog:+"$catalog"} --warnings-as-errors --fallback-display-name "$module" \
    --fallback-bundle-identifier "swift-otp.$module" --additional-symbol-graph-dir "$graphs" \
    --transform-for-static-hosting --output-path "$build/$module.doccarchive"
done
docc merge "$build"/*.doccarchive --synthesized-landing-page-name Modules --synthesized-landing-page-kind swift-otp \
  --synthesized-landing-page-topics-style list --output-path "$build/site"
Scripts/site.py "$build/catalogs" "$build/site"
echo "docs: to read them: python3 -m http.server --directory $build/site, and http://localhost:8000"
