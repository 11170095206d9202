#!/usr/bin/env python3
"""Checks docs/architecture.md, docs/guarantees.md and all Markdown's links. It runs in the package's root.

docs/architecture.md: the arrows of its picture are the imports between modules, in Swift and C; each file name is the
end of exactly one path.

docs/guarantees.md: each promise names a check in Scripts/test.sh, and each file and check that it names exists. (So do
the sources that Tests/Proofs/protocol/protocol.pml names.)

Every Markdown file: each file, folder and heading that it links exists. (DocC checks the links between articles.)
"""

import os
import pathlib
import re
import subprocess
import sys

# Modules that are not drawn: the standard library's, Foundation and the C library, under all of their names.
NOT_DRAWN = {"Foundation", "FoundationEssentials", "Glibc", "Musl", "Darwin", "Dispatch", "Synchronization"}
# Modules of one product.
DRAWN_AS = {"CoreMetrics": "Metrics", "GRDBSQLite": "GRDB"}
# The other packages, each drawn as one node, with only the imports of the library's modules.
PACKAGES = {"otp": "Tool/Sources", "otp-bench": "Benchmarks/Sources", "auth-emulator": "Servers/Sources/AuthEmulator",
            "login-example": "Servers/Sources/LoginExample", "api-example": "Servers/Sources/APIExample"}
faults = []


def files(*patterns):
    """The project's matching files, as lint sees them."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return [path for path in listed if pathlib.Path(path).exists()]


def drawn(page):
    """The arrows of the picture, one per line: `A & B --> C & D`."""
    picture = re.search(r"^```mermaid\n(.*?)^```", page, re.S | re.M)
    if not picture:
        sys.exit("architecture: the page has no picture")
    arrows = set()
    for line in picture[1].splitlines()[1:]:
        ends = [[name.strip() for name in side.split("&")] for side in line.split("-->")]
        if len(ends) != 2 or not all(re.fullmatch(r"[\w-]+", name) for names in ends for name in names):
            sys.exit(f"architecture: not an arrow: {line}")
        arrows |= {(above, below) for above in ends[0] for below in ends[1]}
    return arrows


def imported():
    """The actual imports, by module."""
    modules = {path.name: str(path) for path in pathlib.Path("Sources").iterdir() if path.is_dir()} | {
        "LibOTP": "LibOTP/Sources"}
    arrows = set()
    for module, folder in (modules | PACKAGES).items():
        for path in files(*(f"{folder}/*.{kind}" for kind in ("swift", "h", "c"))):
            text = pathlib.Path(path).read_text(encoding="utf-8")
            if path.endswith(".swift"):
                names = re.findall(r"^\s*(?:@\w+(?:\(\w+\))? |\w+ )*import (?:(?:struct|class|enum|func) )?(\w+)",
                                   text, re.M)
            else:
                names = ["CLibcrypto"] if "#include <openssl/" in text else []
            names = {DRAWN_AS.get(name, name) for name in names} - NOT_DRAWN - {module}
            if module in PACKAGES:
                names &= set(modules)
            arrows |= {(module, name) for name in names}
    return arrows


def compare(found, expected):
    for above, below in sorted(found - expected):
        faults.append(f"docs/architecture.md: the picture lacks {above} --> {below}, which an import has")
    for above, below in sorted(expected - found):
        faults.append(f"docs/architecture.md: the picture has {above} --> {below}, and no import does")


def check_names(name):
    """Checks that each name in backticks that looks like a file or a folder is the end of exactly one path."""
    page = pathlib.Path(name).read_text(encoding="utf-8")
    paths = files()
    folders = {str(folder) for path in paths for folder in pathlib.PurePath(path).parents}
    for token in sorted(set(re.findall(r"`(\w[\w.+/-]+)`", page))):
        if re.search(r"\.(swift|[ch]|md|sh|py|map|txt|json|1|3)$", token):
            count = 1 if token in paths else sum(1 for path in paths if path.endswith(f"/{token}"))
            if count != 1 and "NAME" not in token:
                faults.append(f"{name}: {count or 'no'} files end in {token}")
        elif "/" in token and token not in folders:
            faults.append(f"{name}: there is no folder {token}")
    return page


def headings(page):
    """The anchors of a page's headings, as on GitHub."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            for heading in re.findall(r"^#+ (.*)$", page, re.M)}


def check_links():
    """Checks that what the project's Markdown files link or show exists."""
    paths = set(files())
    paths |= {str(folder) for path in paths for folder in pathlib.PurePath(path).parents}
    for name in files("*.md"):
        page = pathlib.Path(name).read_text(encoding="utf-8")
        for link in re.findall(r"""(?:\]\(|src=")([^)"]+)""", re.sub(r"```.*?```|`[^`]*`", "", page, flags=re.S)):
            path, _, heading = link.partition("#")
            target = os.path.normpath(pathlib.Path(name).parent / path) if path else name
            if "://" in link:
                continue
            if target not in paths:
                faults.append(f"{name}: there is no {link}")
            elif heading and heading not in headings(pathlib.Path(target).read_text(encoding="utf-8")):
                faults.append(f"{name}: no heading is {link}")


page = check_names("docs/architecture.md")
picture = drawn(page)
compare(imported(), picture)

check_names("Tests/Proofs/protocol/protocol.pml")
page = check_names("docs/guarantees.md")
checks = set(re.findall(r'^  "(?:test|check)\|([\w-]+)\|', pathlib.Path("Scripts/test.sh").read_text(), re.M))
rows = [line.strip("|").split("|") for line in page.splitlines() if line.startswith("| ")]
rows = [row for row in rows if row[0].strip() != "promise"]
if len(rows) < 20:
    faults.append("docs/guarantees.md lacks its promises")
for row in rows:
    if not set(re.findall(r"`([a-z0-9-]+)`", row[1])) & checks:
        faults.append(f"docs/guarantees.md: no check for:{row[0]}")
    faults += [f"docs/guarantees.md: there is no check {name}" for name in re.findall(r"`([a-z0-9-]+)`:", row[1])
               if name not in checks]

check_links()
sys.exit("\n".join(faults) or None)
