"""A report in Markdown: a table with a row for each subject, and sections with what is said of each."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

Part = dict[str, list[str]]
"""What a report says of one subject, by section; its row is in the first one, which has no title."""


def merged(file: Path, new: dict[str, Part], names: Iterable[str]) -> dict[str, Part]:
    """The new parts and, of the other names, those of the report in a file: a run of some subjects keeps the others."""
    found = (_parts(file.read_text(encoding="utf-8")) if file.exists() else {}) | new
    return {name: found[name] for name in names if name in found}


def _parts(report: str) -> dict[str, Part]:
    found: dict[str, Part] = {}
    section, lists = "", []
    for line in report.splitlines():
        if line.startswith("## "):
            section = line[3:]
        elif line.startswith("| "):
            found[line[2:].partition(" | ")[0]] = {"": [line]}
        elif line.startswith("- **"):
            names, _, text = line[4:].partition("**: ")
            lists = [found[name].setdefault(section, []) for name in names.split("**, **")]
            for texts in lists:
                texts.append(text)
        elif line.startswith("  "):
            for texts in lists:
                texts[-1] += "\n" + line
    return found


def render(head: str, found: dict[str, Part], sections: dict[str, str]) -> str:
    """The text with these parts, in this order. `sections` are the titles, with what is above their lists."""
    lines = [head, *(part[""][0] for part in found.values())]
    for section, above in sections.items():
        names: dict[str, list[str]] = {}  # of whom the same is said
        for name, part in found.items():
            for text in part.get(section, []):
                names.setdefault(text, []).append(name)
        if names:
            lines += ["", f"## {section}", "", *([above, ""] if above else []),
                      *(f"- **{'**, **'.join(of)}**: {text}" for text, of in names.items())]
    return "\n".join(lines) + "\n"
