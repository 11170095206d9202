#!/usr/bin/env bash
# Compiles and runs each Swift block of README.md: a block that begins with `// swift-tools-version` as the manifest of
# a package, each other block as that package's main program, which must print what its comments say after `// prints`.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../../.. && pwd)
build=$root/.build-readme
rm -rf "$build/package"
mkdir -p "$build/package/Sources/MyServer"

/usr/bin/python3 - "$root/README.md" "$build" "$root" <<'PYTHON'
import pathlib, re, sys
readme, build, root = (pathlib.Path(argument) for argument in sys.argv[1:])
blocks = re.findall(r"^```swift\n(.*?)^```", readme.read_text(encoding="utf-8"), re.S | re.M)
manifests = [block for block in blocks if block.startswith("// swift-tools-version")]
programs = [block for block in blocks if block not in manifests]
assert len(manifests) == 1 and programs, "README needs one manifest and a program"
manifest = manifests[0].replace("../swift-otp", str(root))
(build / "package" / "Package.swift").write_text(manifest, encoding="utf-8")
for number, program in enumerate(programs):
    (build / f"program-{number}.swift").write_text(program, encoding="utf-8")
    printed = re.findall(r"// prints (.*)", program)
    (build / f"program-{number}.expected").write_text("".join(line + "\n" for line in printed), encoding="utf-8")
PYTHON

count=0
for program in "$build"/program-*.swift; do
  cp "$program" "$build/package/Sources/MyServer/main.swift"
  swift build --package-path "$build/package" --scratch-path "$build/scratch"
  "$build/scratch/debug/MyServer" | diff "${program%.swift}.expected" -
  count=$((count + 1))
done
rm -f "$build"/program-*
echo "readme: $count programs compiled and printed what they say"
