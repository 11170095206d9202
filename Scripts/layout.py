#!/usr/bin/env python3
"""Checks the layout of the files named: columns, trailing space, tabs. Python is also parsed. Of Swift, only comments
are checked: `swift format` checks the rest, but permits a comment of any length.
"""

import ast
import pathlib
import sys

faults = []
for path in sys.argv[1:]:
    if pathlib.Path(path).is_symlink():
        continue
    text = pathlib.Path(path).read_text(encoding="utf-8")
    if path.endswith(".py"):
        ast.parse(text, path)
    for number, line in enumerate(text.splitlines(), 1):
        if path.endswith(".swift") and not line.lstrip().startswith("//"):
            continue
        if len(line) > 120 or line != line.rstrip():
            faults.append(f"lint: {path}:{number}: over 120 columns, or trailing space")
        if "\t" in line and not (path.endswith("Makefile") and line.startswith("\t")):
            faults.append(f"lint: {path}:{number}: a tab")
sys.exit("\n".join(faults) or None)
