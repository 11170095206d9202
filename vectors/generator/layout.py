r"""The layout of a vector file: a test is on one line if it fits, or else is broken between its fields.

The text is pure ASCII: what is not printable ASCII is a `\u` escape, so that no editor or tool can normalise,
reorder or hide it.
"""

from __future__ import annotations

import json

from .document import Fields, Value, VectorFile

WIDTH = 120


def render(file: VectorFile) -> str:
    """The exact text of the file."""
    lines = ["{", *_members(file.fields(), "  "), '  "groups": [']
    for group in file.groups:
        lines += ["    {", *_members(group.fields(), "      "), '      "tests": [']
        for test in group.tests:
            lines += _fill(_chunks(test), " " * 8, end="" if test is group.tests[-1] else ",")
        lines += ["      ]", "    }" if group is file.groups[-1] else "    },"]
    return "\n".join([*lines, "  ]", "}"]) + "\n"


def _members(fields: Fields, indent: str) -> list[str]:
    return [f"{indent}{_scalar(name)}: {_scalar(value)}," for name, value in fields.items()]


def _scalar(value: Value) -> str:
    return json.dumps(value).replace("\x7f", "\\u007f")  # json.dumps leaves this one control character as it is


def _chunks(fields: Fields, depth: int = 1) -> list[tuple[int, str]]:
    """The object's text in pieces between possible line breaks, each with the depth of the line that it would begin."""
    chunks: list[tuple[int, str]] = []
    for name, value in fields.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            chunks += [(depth, f"{_scalar(name)}: ["), *_elements(value, depth + 1)]
            continue
        inner = _chunks(value, depth + 1) if isinstance(value, dict) else [(depth, _scalar(value))]
        chunks.append((depth, f"{_scalar(name)}: {inner[0][1]}"))
        chunks += inner[1:]
        chunks[-1] = (chunks[-1][0], chunks[-1][1] + ",")
    chunks[0] = (depth, "{ " + chunks[0][1])
    chunks[-1] = (chunks[-1][0], chunks[-1][1].removesuffix(",") + " }")
    return chunks


def _elements(values: list[Value], depth: int) -> list[tuple[int, str]]:
    """A list's objects, each of which stays whole, and its end."""
    texts = [f"{{ {_scalar(value)[1:-1]} }}," for value in values]
    return [(depth, text) for text in [*texts[:-1], texts[-1][:-1] + "],"]]


def _fill(chunks: list[tuple[int, str]], indent: str, end: str) -> list[str]:
    """The chunks as lines of at most `WIDTH` columns where they can be, continued two columns in for each depth."""
    lines = [indent + chunks[0][1]]
    for place, (depth, chunk) in enumerate(chunks[1:], start=2):
        room = WIDTH - (len(end) if place == len(chunks) else 0)
        if len(lines[-1]) + 1 + len(chunk) <= room:
            lines[-1] += " " + chunk
        else:
            lines.append(indent + "  " * depth + chunk)
    return [*lines[:-1], lines[-1] + end]
