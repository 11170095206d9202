#!/usr/bin/env bash
# Compiles the Swift and the C that the documentation shows, and runs what is a whole program: see blocks.py.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../../.. && pwd)
build=$root/.build-readme
rm -rf "$build/documented" "$build/package"
/usr/bin/python3 blocks.py "$root" "$build/documented"

# One package, whose manifest and program are changed, so that what they have in common is compiled once.
count=0
for program in "$build"/documented/{plain,traits}-*/*.program; do
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
  # Two programs within a second or so were once taken for the same one, and the first ran twice.
  rm -rf "$scratch"/debug/MyServer.build
  swift build --package-path "$build/package" --scratch-path "$scratch"
  # Where there are no files of another run.
  place=$(mktemp -d)
  (cd "$place" && "$scratch/debug/MyServer") | diff "${program%.program}.expected" -
  rm -rf "$place"
  count=$((count + 1))
done

(cd "$root" && Scripts/libotp.sh)
library=$root/.build-libotp
for program in "$build"/documented/c/*.program; do
  clang -x c -std=c99 -pedantic -Wall -Wextra -Werror -I "$library" "$program" -L "$library" -lotp \
    -Wl,-rpath,"$library" -o "${program%.program}"
  "${program%.program}" | diff "${program%.program}.expected" -
  count=$((count + 1))
done
echo "readme: $count programs compiled and printed what they say"
