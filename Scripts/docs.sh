#!/usr/bin/env bash
# Builds the documentation as one site, .build-docs/site: DocC's of all public modules (each with a catalog), and a front
# page by role, with the Markdown files and manual pages that it links (docs/pages.py). A warning is an error, and so is
# a link that leads nowhere. All traits are enabled, so that what depends on them is documented too.
set -euo pipefail
cd "$(dirname "$0")/.."
build=.build-docs

Scripts/symbols.sh "$build/symbols"
archives=()
for catalog in Sources/*/*.docc; do
  module=$(basename "$catalog" .docc)
  docc convert "$catalog" --warnings-as-errors --fallback-display-name "$module" \
    --fallback-bundle-identifier "swift-otp.$module" --additional-symbol-graph-dir "$build/symbols/$module" \
    --transform-for-static-hosting --output-path "$build/$module.doccarchive"
  archives+=("$build/$module.doccarchive")
done
rm -rf "$build/site"
docc merge "${archives[@]}" --synthesized-landing-page-name Modules --synthesized-landing-page-kind swift-otp \
  --synthesized-landing-page-topics-style list --output-path "$build/site"

# Every module is on its landing page, and every article in it.
for archive in "${archives[@]}"; do
  if ! grep -qF "documentation\\/$(basename "$archive" .doccarchive)\"" "$build/site/data/documentation.json"; then
    echo "docs: $archive is not on the landing page" >&2
    exit 1
  fi
done
articles=(Sources/*/*.docc/*.md)
for article in "${articles[@]}"; do
  module=$(basename "${article%/*}" .docc) name=$(basename "$article" .md)
  page=$module/$name
  [ "$name" != "$module" ] || page=$module
  if [ ! -e "$build/site/documentation/${page,,}/index.html" ]; then
    echo "docs: $article is not in the site" >&2
    exit 1
  fi
done
/usr/bin/python3 Scripts/docs/pages.py "$build/site"
echo "docs: ${#archives[@]} modules, ${#articles[@]} pages; to read them: python3 -m http.server --directory $build/site," \
  "and http://localhost:8000"
