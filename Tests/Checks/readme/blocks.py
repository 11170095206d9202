#!/usr/bin/env python3
"""Makes programs of the documentation's Swift. Usage: blocks.py ROOT BUILD

BUILD/NAME then is a package whose targets are programs, and BUILD/NAME/PROGRAM.expected is what each must print; NAME
is `plain-…`, or `traits-…` if the package turns traits on.

README.md: the block that begins with `// swift-tools-version` is a package's manifest, the other one its main program.
Without its traits and with only the product OTP, it is the manifest of a user of the engine; Layer.swift is a program
of a user of MultiFactor.

The article "Verify a code": its blocks, in order, are one program, after the declarations of ArticlePrelude.swift.

The blocks of "In your own table" are lines of LibOTP/examples/own-table, which the check `own-table` runs: here they
are compared.

The multi-factor layer's articles: each block is the body of a function, after the declarations of
MultiFactorPrelude.swift. They are compiled but not called, since each is a step of something larger. (What the articles
leave to api-example, in Servers, the check `servers` runs.)
"""

import pathlib
import re
import sys
import textwrap

LAYER = ["FactorRecord", "Keyring", "MultiFactor", "MultiFactorFirebase", "MultiFactorObservability",
         "MultiFactorBrowsers", "MultiFactorOperations", "MultiFactorPhone", "MultiFactorSQLite",
         "MultiFactorPostgreSQL", "FactorStoreConformance"]
PRODUCTS = ["OTP", "OTPFoundation", "OTPSeeds", "OTPVectors", *LAYER]

root, build = (pathlib.Path(argument) for argument in sys.argv[1:])
here = root / "Tests/Checks/readme"


def blocks(path, language="swift"):
    return re.findall(rf"^```{language}\n(.*?)^```", path.read_text(encoding="utf-8"), re.S | re.M)


def imports(text):
    return re.findall(r"^import (\w+)$", text, re.M)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def write_package(package, manifest, programs, names=None):
    """Writes a package with README's manifest for this copy of swift-otp, with one target per program.

    `programs` maps names to texts; `names` are the products to depend on, if not the manifest's.
    """
    if names is not None:
        listed = ", ".join(f'.product(name: "{name}", package: "swift-otp")' for name in names)
        manifest, count = re.subn(
            r"dependencies: \[\s*\.product.*?\]", f"dependencies: [{listed}]", manifest, flags=re.S)
        assert count == 1, "README's manifest has its products elsewhere"
    target = re.search(r"\.executableTarget\(.*\)(?=\s*\]\s*\)\s*$)", manifest, re.S)
    assert target and target[0].count('"MyServer"') == 1, "README's manifest has its target elsewhere"
    targets = ",\n".join(target[0].replace('"MyServer"', f'"{name}"') for name in programs)
    manifest = manifest.replace(target[0], targets).replace("../swift-otp", str(root))
    write(build / package / "Package.swift", manifest)
    for name, text in programs.items():
        # In a `main.swift`, a prelude's declarations would be isolated to the main actor.
        main = "Articles" if "@main" in text else "main"
        write(build / package / f"Sources/{name}/{main}.swift", text)
        write_expected(package, name, text)


def write_expected(package, name, text):
    printed = re.findall(r"// prints (.*)", text)
    write(build / package / f"{name}.expected", "".join(f"{line}\n" for line in printed))


readme = blocks(root / "README.md")
manifests = [block for block in readme if block.startswith("// swift-tools-version")]
assert len(manifests) == 1, "README needs a manifest"
layer = manifests[0]
traits = re.search(r", traits: \[[^]]*\]", layer)
assert traits, "README's manifest enables no traits"
engine = layer.replace(traits.group(), "")

programs = [block for block in readme if block not in manifests]
assert len(programs) == 1, "README needs a program"
engine_program = "import OTP\n_ = try TOTP(secret: .random(for: .sha1)).code(at: 59)\n"
write_package("plain-engine", engine, {"Engine": engine_program}, ["OTP"])
write_package("plain-readme", engine, {"Readme": programs[0]})
layer_program = (here / "Layer.swift").read_text(encoding="utf-8")
write_package("traits-layer", layer, {"Layer": layer_program}, ["Keyring", "MultiFactor", "MultiFactorSQLite"])

article = blocks(root / "Sources/Core/OTP/OTP.docc/VerifyACode.md")
assert len(article) >= 4, "the article lacks its Swift"
prelude = (here / "ArticlePrelude.swift").read_text(encoding="utf-8")
# All blocks share the first one's secret; each other one is a function's body, so that it may contain `return`.
bodies = "".join(f"func step{n}() throws {{\n{block}}}\ntry step{n}()\n" for n, block in enumerate(article[1:]))
verify_a_code = f"{prelude}\n{article[0]}\n{bodies}"

own_table = root / "Sources/Core/FactorRecord/FactorRecord.docc/InYourOwnTable.md"
sources = [path.read_text(encoding="utf-8") for suffix in ("swift", "py")
           for path in (root / "LibOTP/examples/own-table").rglob(f"*.{suffix}") if ".build" not in str(path)]
shown = blocks(own_table) + blocks(own_table, "python")
assert len(shown) >= 2, "In your own table has lost its programs"
for block in shown:
    indented = (textwrap.indent(block, " " * columns) for columns in (0, 2, 4, 6))
    assert any("\n" + text in source for text in indented for source in sources), f"in no program:\n{block}"

functions = []
modules = {"Foundation", "MultiFactor", "OTP", "OTPSeeds"}
folders = [folder for module in [*LAYER, "OTPSeeds"] for folder in root.glob(f"Sources/*/{module}")]
articles = {path for folder in folders for path in folder.glob("*.docc/*.md")}
for path in sorted(articles - {own_table}):
    for number, block in enumerate(blocks(path), 1):
        modules |= set(imports(block))
        body = re.sub(r"^import \w+\n", "", block, flags=re.M)
        # What a later step of the article would use.
        used = "".join(f"_ = {name}\n" for name in re.findall(r"^let (\w+) =", body, re.M))
        functions.append(f"// {path.name}\nfunc {path.stem}{number}() async throws {{\n{body}{used}}}\n")
assert len(functions) >= 15, "the articles lack Swift"

prelude = (here / "MultiFactorPrelude.swift").read_text(encoding="utf-8")
lines = "".join(f"import {name}\n" for name in sorted(modules))
says = f"{len(functions)} blocks"
end = f'@main struct Articles {{\n  static func main() {{ print("{says}") }}  // prints {says}\n}}\n'
all_traits = traits.group().replace('"SQLite"', '"SQLite", "PostgreSQL", "Observability"')
write_package("traits-articles", layer.replace(traits.group(), all_traits), {
    "LayerArticles": "\n".join([lines, prelude, *functions, end]), "EngineArticle": verify_a_code,
}, sorted(modules & set(PRODUCTS)))
