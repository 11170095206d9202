#!/usr/bin/env python3
"""Checks the layout of the files named: columns, trailing space, tabs, and functions of over 70 lines. Python is also
parsed. Of Swift's columns, only comments are checked: `swift format` checks the rest, but permits a comment of any
length.
"""

import ast
import pathlib
import re
import sys

MOST_LINES = 70
# How a function begins, by the ending of its file; it ends with the next brace below its first letter.
BEGINNINGS = {
    ".swift": r"( *)(?:@\w+(?:\(.*?\))? |[\w()]+ )*(?:func\b|init[?(<]|deinit\b|subscript\b)",
    ".rs": r"( *)(?:[\w()]+ )*fn\b",
    ".go": r"()func\b",
    **dict.fromkeys((".c", ".h", ".cpp", ".hpp"), r"()(?!extern|typedef|struct|enum|union)[A-Za-z].*[(){]$"),
}
faults = []


def functions(path, text):
    """The first and the last line of each function."""
    if path.endswith(".py"):
        return [(node.lineno, node.end_lineno) for node in ast.walk(ast.parse(text, path))
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    lines, found = text.splitlines(), []
    for number, line in enumerate(lines, 1):
        begins = re.match(BEGINNINGS.get(pathlib.Path(path).suffix, "(?!)"), line)
        if not begins or line.endswith("}"):
            continue
        for last, other in enumerate(lines[number:], number + 1):
            if other.startswith(begins[1] + "}"):
                found.append((number, last))
            if other and not re.match(begins[1] + r"[ \t)#/{]", other):
                break
    return found


for path in sys.argv[1:]:
    if pathlib.Path(path).is_symlink():
        continue
    text = pathlib.Path(path).read_text(encoding="utf-8")
    faults += [f"lint: {path}:{first}: a function of {last - first + 1} lines, over {MOST_LINES}"
               for first, last in functions(path, text) if last - first >= MOST_LINES]
    for number, line in enumerate(text.splitlines(), 1):
        if path.endswith(".swift") and not line.lstrip().startswith("//"):
            continue
        if len(line) > 120 or line != line.rstrip():
            faults.append(f"lint: {path}:{number}: over 120 columns, or trailing space")
        if "\t" in line and not path.endswith(".go") and not (path.endswith("Makefile") and line.startswith("\t")):
            faults.append(f"lint: {path}:{number}: a tab")
sys.exit("\n".join(faults) or None)
