#!/usr/bin/env python3
"""Checks docs/architecture.md, docs/trusted.md, docs/guarantees.md and all Markdown's links. It runs in the package's
root.

docs/architecture.md: the arrows of its picture are the imports between modules, in Swift and C; each file name is the
end of exactly one path.

docs/trusted.md: the core imports only itself; the files of each claim exist, and are as many, with as many lines, as it
says, and at most as many as WALKS does.

docs/guarantees.md: each promise names a check in Scripts/test.sh, and each file and check that it names exists; each
check has its minutes, and `architecture.py TIMES` first writes those of a run's times.txt. (The sources that
Tests/Proofs/protocol/protocol.pml names exist, too.)

Every Markdown file: each file, folder and heading that it links exists. (DocC checks the links between articles.)
"""

import fnmatch
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
# What must be trusted, and what it may import beside itself.
CORE = ["COTPSupport", "OTP", "Keyring", "FactorRecord", "LibOTP"]
BENEATH = {"CLibcrypto", "COTP"}
# The most that there may be to read, for claims of docs/trusted.md: files and lines.
WALKS = {"A record accepts a code once": (36, 4000), "The layer does": (55, 5800)}
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
    modules = {path.name: str(path) for path in pathlib.Path("Sources").glob("*/*") if path.is_dir()} | {
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
        if re.search(r"\.(swift|[ch]|rs|go|sql|md|sh|py|map|txt|json|1|3)$", token):
            count = 1 if token in paths else sum(1 for path in paths if path.endswith(f"/{token}"))
            if count != 1 and "NAME" not in token:
                faults.append(f"{name}: {count or 'no'} files end in {token}")
        elif "/" in token and token not in folders:
            faults.append(f"{name}: there is no folder {token}")
    return page


def line_count(paths):
    return sum(pathlib.Path(path).read_bytes().count(b"\n") for path in paths)


def check_trusted(arrows):
    """Checks the core's borders, and what docs/trusted.md counts."""
    faults.extend(f"the core imports what is outside of it: {above} --> {below}" for above, below in sorted(arrows)
                  if above in CORE and below not in BENEATH.union(CORE))
    name, paths, walk = "docs/trusted.md", files(), []

    def compare_count(what, written, count):
        if written != count:
            faults.append(f"{name}: {what} has {count}, not {written}")
    page = pathlib.Path(name).read_text(encoding="utf-8")
    for row in (line.strip("|").split("|") for line in page.splitlines() if line.startswith("| ")):
        cells = [cell.strip() for cell in row]
        if cells[0].strip("`") in CORE:
            module = f"/{cells[0].strip('`')}/"
            lines = line_count(path for path in paths if module in f"/{path}"
                               and re.match(r"Sources/|LibOTP/(Sources|include)/", path))
            compare_count(cells[0], cells[1], f"{round(lines, -2):,}")
        elif claim := re.match(r"\*\*(.*?)\*\*", cells[0]):
            above, walk = walk, []
            for end in re.findall(r"`(.*?)`", cells[1]):
                found = fnmatch.filter((f"/{path}" for path in paths), f"*/{end}")
                if not found or (len(found) > 1 and "*" not in end):
                    faults.append(f"{name}: {len(found) or 'no'} files end in {end}")
                walk += [path[1:] for path in found if path[1:] not in walk]
            if " above, after" in cells[0]:
                walk += [path for path in above if not path.startswith("LibOTP/")]
            count = (len(walk), line_count(walk))
            compare_count(claim[1], cells[2], f"{count[0]} files, {round(count[1], -2):,} lines")
            if claim[1] in WALKS and any(a > b for a, b in zip(count, WALKS[claim[1]])):
                faults.append(f"{name}: {claim[1]}: {count} files and lines to read, at most {WALKS[claim[1]]}")


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


def minutes(page, times):
    """The page with the minutes of a run's checks, and the names of all that have minutes."""
    start, end = page.index("Minutes that each takes"), page.index("\n\nMost checks test themselves")
    lines = pathlib.Path(times).read_text(encoding="utf-8").split("\n") if times else []
    new = {name: -(-int(seconds) // 60) for seconds, name in map(str.split, filter(None, lines))}
    part = re.sub(r"(`([\w-]+)`\s)(\d+|\?)", lambda each: f"{each[1]}{new.get(each[2], each[3])}", page[start:end])
    return page[:start] + part + page[end:], set(re.findall(r"`([\w-]+)`\s[1-9?]", part))


page = check_names("docs/architecture.md")
picture = drawn(page)
arrows = imported()
compare(arrows, picture)
check_trusted(arrows)

check_names("Tests/Proofs/protocol/protocol.pml")
page, timed = minutes(check_names("docs/guarantees.md"), "".join(sys.argv[1:]))
if sys.argv[1:]:
    pathlib.Path("docs/guarantees.md").write_text(page, encoding="utf-8")
checks = set(re.findall(r'^  "(?:test|check|last)\|([\w-]+)\|', pathlib.Path("Scripts/test.sh").read_text(), re.M))
faults += [f"docs/guarantees.md: {name} has no minutes, or there is no such check" for name in sorted(timed ^ checks)]
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
