#!/usr/bin/env bash
# Compiles the Swift that the documentation shows, and runs what is a whole program: see blocks.py.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../../.. && pwd)
build=$root/.build-readme
rm -rf "$build/documented" "$build/package"
/usr/bin/python3 blocks.py "$root" "$build/documented"

# One package, whose manifest and program are changed, so that what they have in common is compiled once.
count=0
for program in "$build"/documented/*/*.program; do
  folder=$(dirname "$program")
  kind=$(basename "$folder")
  scratch=$build/scratch-${kind%%-*}
  sources=$build/package/Sources/MyServer
  rm -rf "$sources" && mkdir -p "$sources"
  cp "$folder/Package.swift" "$build/package/Package.swift"
  # In a `main.swift`, what the prelude declares would be the main actor's.
  name=main
  if grep -q '^@main' "$program"; then name=Articles; fi
  cp "$program" "$sources/$name.swift"
  swift build --package-path "$build/package" --scratch-path "$scratch"
  # Where there are no files of another run.
  place=$(mktemp -d)
  (cd "$place" && "$scratch/debug/MyServer") | diff "${program%.program}.expected" -
  rm -rf "$place"
  count=$((count + 1))
done
echo "readme: $count programs compiled and printed what they say"
