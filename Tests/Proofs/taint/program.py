"""Reads the LLVM IR of C sources for taint.py: functions with their parameters, and which globals name which."""

import re
from pathlib import Path


def split(text):
    """The parts of a list, at commas that are in no brackets."""
    parts, depth, part = [], 0, ""
    for character in text:
        depth += (character in "(<[{") - (character in ")>]}")
        if character == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += character
    return [*parts, part.strip()]


class Function:
    """Its parameters' names, its instructions in order, and whether only its file can call it."""

    def __init__(self, name, parameters, is_internal):
        self.name, self.is_internal = name, is_internal
        self.parameters = [re.search(r"(%[\w.]+)$", text)[1] for text in split(parameters) if text]
        self.pointers = {re.search(r"(%[\w.]+)$", text)[1] for text in split(parameters) if text.startswith("ptr")}
        self.instructions = []


class File:
    """One C file's functions, and its tables of kernels: for each, the four functions of a lane_kernel."""

    def __init__(self, path):
        self.path, self.functions, self.kernels = path, {}, {}
        body = None
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            line = re.sub(r'@"([\w.$]+)"', r"@\1", line)
            if found := re.match(r"define (.*?)@([\w.$]+)\((.*)\)[^)]*\{$", line):
                parameters = re.sub(r"\)[^%]*$", "", found[3]) if "%" not in found[3].rsplit(")", 1)[-1] else found[3]
                body = Function(found[2], parameters, "internal" in found[1] or "private" in found[1])
                self.functions[found[2]] = body
            elif line.startswith("define "):
                raise ValueError(f"a function that cannot be read: {line}")
            elif found := re.match(r"@(\w+) = .* %struct\.lane_kernel \{ i64 \d+, i64 \d+, (.*) \}, align", line):
                self.kernels[found[1]] = [text.removeprefix("ptr ").removeprefix("@") for text in split(found[2])]
            elif line.startswith("}"):
                body = None
            elif body and line.startswith(" ") and not line.strip().startswith((";", "#dbg")):
                # Labels are not indented.
                self._add(body, line.strip())

    @staticmethod
    def _add(body, text):
        text = re.sub(r"(, ![\w.]+ ![\d{}]+)+$", "", text)
        if text.startswith("]") or re.match(r"i\d+ -?\d+, label", text):
            return
        body.instructions.append(re.sub(r" #\d+$", "", text))
