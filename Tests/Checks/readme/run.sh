#!/usr/bin/env bash
# Compiles and runs the Swift that the documentation shows.
#
# README.md: a block that begins with `// swift-tools-version` is the manifest of a package; each other block is that
# package's main program, which must print what its comments say after `// prints`.
# The article "Verify a code": its blocks in a row are one program, after what ArticlePrelude.swift declares.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../../.. && pwd)
build=$root/.build-readme
rm -rf "$build/package" "$build/programs"
mkdir -p "$build/package/Sources/MyServer" "$build/programs"

/usr/bin/python3 - "$root" "$build" <<'PYTHON'
import pathlib, re, sys

root, build = (pathlib.Path(argument) for argument in sys.argv[1:])


def blocks(path):
    return re.findall(r"^```swift\n(.*?)^```", (root / path).read_text(encoding="utf-8"), re.S | re.M)


def write_program(name, text):
    printed = re.findall(r"// prints (.*)", text)
    (build / "programs" / f"{name}.swift").write_text(text, encoding="utf-8")
    (build / "programs" / f"{name}.expected").write_text("".join(f"{line}\n" for line in printed), encoding="utf-8")


readme = blocks("README.md")
manifests = [block for block in readme if block.startswith("// swift-tools-version")]
programs = [block for block in readme if block not in manifests]
assert len(manifests) == 1 and programs, "README needs one manifest and a program"
manifest = manifests[0].replace("../swift-otp", str(root))
(build / "package" / "Package.swift").write_text(manifest, encoding="utf-8")
for number, program in enumerate(programs):
    write_program(f"readme-{number}", program)

article = blocks("Sources/OTP/OTP.docc/VerifyACode.md")
assert len(article) >= 4, "the article has lost its Swift"
prelude = (root / "Tests/Checks/readme/ArticlePrelude.swift").read_text(encoding="utf-8")
# The first block's secret is the others' too; each of them is a function's body, so that `return` may stand in it.
bodies = "".join(f"func step{n}() throws {{\n{block}}}\ntry step{n}()\n" for n, block in enumerate(article[1:]))
write_program("article", f"{prelude}\n{article[0]}\n{bodies}")
PYTHON

count=0
for program in "$build"/programs/*.swift; do
  cp "$program" "$build/package/Sources/MyServer/main.swift"
  swift build --package-path "$build/package" --scratch-path "$build/scratch"
  "$build/scratch/debug/MyServer" | diff "${program%.swift}.expected" -
  count=$((count + 1))
done
echo "readme: $count programs compiled and printed what they say"
