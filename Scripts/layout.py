#!/usr/bin/env python3
"""Checks the layout of the files named: columns, trailing space, tabs. Python is also parsed. Of Swift, only comments
are checked: `swift format` checks the rest, but permits a comment of any length.

    python3 Scripts/layout.py FILE...
"""

import ast
import os
import sys

faults = []
for path in sys.argv[1:]:
    if os.path.islink(path):
        continue
    with open(path, encoding="utf-8") as file:
        text = file.read()
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
