"""The table of files in README.md, kept between two markers so that its counts cannot go stale."""

from __future__ import annotations

from .document import VectorFile
from .errors import ensure

_BEGIN = "<!-- table of files: written by generate.py -->"
_END = "<!-- end of table -->"


def with_table(readme: str, files: list[VectorFile]) -> str:
    """The README's text with its table brought up to date."""
    ensure(readme.count(_BEGIN) == 1 and readme.count(_END) == 1, "README.md: the table's markers are missing")
    before, rest = readme.split(_BEGIN)
    _, after = rest.split(_END)
    rows = [f"| [`{file.name}`]({file.name}) | {file.source} | {file.test_count()} |" for file in files]
    total = sum(file.test_count() for file in files)
    table = ["| file | source | tests |", "|---|---|--:|", *rows, f"| **{len(files)} files** | | **{total}** |"]
    return before + _BEGIN + "\n\n" + "\n".join(table) + "\n\n" + _END + after
