"""The results as Markdown and as JSON."""

from __future__ import annotations

from collections import Counter
from typing import Any

from .judge import CANNOT, CRASHED, DIFFERS, FAILED, PASSED

Result = dict[str, Any]

LEGEND = """*Failed* contradicts the standard that decides the test; *differs* is another reading where none does;
*crashed* is neither an answer nor a refusal; *not expressible* is what an implementation has no way to say. The last
columns are the nanoseconds of one verification of a wrong code at that window, in one run on one machine.
"""
BEGIN, END = "<!-- table of conformance: written by make conformance -->", "<!-- end of the table of conformance -->"
COLUMNS = ("| implementation | version | passed | differs | failed | crashed | not expressible "
           "| ±0, ns | ±1, ns | ±5, ns |",
           "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|")


def table(results: list[Result]) -> list[str]:
    """One line per implementation."""
    lines = list(COLUMNS)
    for result in results:
        counts, times = result["counts"], result["nanoseconds"]
        cells = [result["name"], f"{result['version']} ({result['source']})",
                 *(f"{counts.get(name, 0):,}" for name in (PASSED, DIFFERS, FAILED, CRASHED, CANNOT)),
                 *("" if times.get(window) is None else f"{times[window]:,}" for window in ("0", "1", "5"))]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def with_table(readme: str, results: list[Result]) -> str:
    """README's text with the table brought up to date."""
    before, rest = readme.split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + "\n" + "\n".join(table(results)) + "\n" + END + after


def markdown(version: str, results: list[Result], claims: list[dict[str, Any]]) -> str:
    """The whole report."""
    lines = ["# Who fails what", "", f"Vectors {version}. {LEGEND}", *table(results), "", "## Bugs", "",
             "The lines run in this repository's `Conformance`, with `.build-conformance/venv/bin` and",
             "`.build-conformance` first in `PATH`.", ""]
    for claim in claims:
        tests = f"{claim['failing']} test{'' if claim['failing'] == 1 else 's'}"
        lines += [f"- **{claim['peer']}**: {claim['bug']} ({claim['cites']}: “{claim['sentence']}”; {tests})", "",
                  "  ```sh", f"  {claim['repeat']}   # {claim['prints']}", "  ```"]
    lines += ["", "## Failures by flag", "", "Failures not claimed as bugs above may be decisions.", ""]
    for result in results:
        if result["flags"]:
            counts = sorted(result["flags"].items(), key=lambda it: (-it[1], it[0]))
            flags = ", ".join(f"{name} {count}" for name, count in counts)
            lines.append(f"- **{result['name']}**: {flags}")
    return "\n".join(lines) + "\n"


def by_flag(failures: list[dict[str, Any]]) -> dict[str, int]:
    """The number of failures and crashes with each flag; one without flags counts under its group's type."""
    counts: Counter[str] = Counter()
    for failure in failures:
        counts.update(failure["flags"] or [failure["type"]])
    return dict(counts)
