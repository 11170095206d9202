#!/usr/bin/env python3
"""Compares the repository's size with Scripts/budgets.txt: no part may have over 1 % more lines than it says,
and all of them together no more than `total` says.

    Scripts/budgets.py [--set]    --set writes what is there

A part is a folder, `.` the root's own files and hidden folders. A tracked file belongs to the part with the longest
name that begins its path; pictures do not count. `Markdown files` and `root documents` are numbers of files.
"""

import pathlib
import subprocess
import sys

BUDGETS = pathlib.Path("Scripts/budgets.txt")
PICTURES = {".png", ".svg"}


def sizes(parts, paths):
    """What is there: the lines of each part, and the numbers of documents."""
    found = dict.fromkeys(parts, 0)
    for path in paths:
        within = [part for part in parts if path.startswith(f"{part}/")]
        part = max(within, key=len, default="." if "/" not in path or path.startswith(".") else None)
        if not part:
            sys.exit(f"lint: {path} belongs to no part of {BUDGETS}")
        if pathlib.Path(path).suffix not in PICTURES:
            found[part] += pathlib.Path(path).read_bytes().count(b"\n")
    documents = [path for path in paths if path.endswith(".md")]
    return found | {"total": sum(found.values()), "Markdown files": len(documents),
                    "root documents": sum("/" not in path for path in documents)}


ceilings = {}
for line in BUDGETS.read_text().splitlines():
    part, ceiling = line.rsplit(maxsplit=1)
    ceilings[part] = int(ceiling)
listed = subprocess.run(["git", "ls-files"], check=True, capture_output=True, text=True).stdout.splitlines()
paths = [path for path in listed if pathlib.Path(path).is_file() and not pathlib.Path(path).is_symlink()]
there = sizes([part for part in ceilings if " " not in part and part != "total"], paths)
if sys.argv[1:] == ["--set"]:
    BUDGETS.write_text("".join(f"{part:24}{size:7}\n" for part, size in there.items()))
    sys.exit()
# Slack in each part, so that only growth changes the file.
most = {part: ceiling if part == "total" else ceiling + ceiling // 100 for part, ceiling in ceilings.items()}
if over := [f"lint: {part}: {size}, {size - most[part]} over its ceiling in {BUDGETS}"
            for part, size in there.items() if size > most[part]]:
    sys.exit("\n".join(over))
