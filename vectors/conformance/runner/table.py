"""The results as Markdown and as JSON."""

from __future__ import annotations

from typing import Any

from .judge import CANNOT, CRASHED, DIFFERS, FAILED, PASSED

Result = dict[str, Any]

LEGEND = """*Failed* contradicts the standard that decides the test; *differs* is another reading if none does,
or a documented decision; *crashed* is neither an answer nor a refusal; *not expressible* is what an implementation has
no way to say. The last three columns are how many nanoseconds the verification of a wrong code takes at that window, in
one run on one machine.

The vectors are by the authors of libotp. Nine of the thirteen other versions are of the years 2015 to 2023, five of
them in Debian 12. The third column is about the bugs below: each version was run, but for totp-rs 6.0.0, whose source
was read (`src/url.rs`: `parts_from_url`, `split_label`, `to_url`; `src/builder.rs`: `build`).
"""
WINDOWS = ("0", "1", "5")
COLUMNS = ("| implementation | version | newest version, and still there? | run on, vectors | passed | differs "
           "| failed | crashed | not expressible | ±0, ns | ±1, ns | ±5, ns |",
           "|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|")


def table(results: list[Result]) -> list[str]:
    """One line per implementation."""
    lines = list(COLUMNS)
    for result in results:
        counts, times = result["counts"], result["nanoseconds"]
        cells = [*source_of(result), "?", result["run"],
                 *(f"{counts.get(name, 0):,}" for name in (PASSED, DIFFERS, FAILED, CRASHED, CANNOT)),
                 *("" if times.get(window) is None else f"{times[window]:,}" for window in WINDOWS)]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def source_of(result: Result) -> tuple[str, str]:
    """The first two cells: the implementation, and its version and source."""
    return result["name"], f"{result['version']} ({result['source']})"


def times(report: str) -> dict[tuple[str, str], dict[str, int]]:
    """The nanoseconds in a report, by `source_of`."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in report.splitlines() if line.startswith("| ")]
    return {(row[0], row[1]): {window: int(cell.replace(",", "")) for window, cell in zip(WINDOWS, row[-3:]) if cell}
            for row in rows[1:]}


def text_of(claim: dict[str, Any]) -> str:
    """What a claim says: a bug, or how an implementation differs."""
    return claim.get("bug") or claim["differs"]


def listed(claims: list[dict[str, Any]]) -> list[str]:
    """The lines of claims: what each says, its source, and how to repeat it."""
    lines = []
    for claim in claims:
        tests = f"{claim['failing']} test{'' if claim['failing'] == 1 else 's'}"
        lines += [f"- **{claim['peer']}**: {text_of(claim)} ({claim['cites']}: “{claim['sentence']}”; {tests})",
                  f"  `{claim['repeat']}   # {claim['prints']}`"]
    return lines


def markdown(results: list[Result], claims: list[dict[str, Any]]) -> str:
    """The whole report."""
    lines = ["# Results by implementation", "", LEGEND, *table(results), "", "## Bugs", "",
             "The lines run in this `vectors/conformance`, with `.build-conformance/venv/bin` and",
             "`.build-conformance` first in `PATH`. The comment is all that they print, or the exception that ends",
             "them.", ""]
    lines += listed([claim for claim in claims if "bug" in claim])
    lines += ["", "## Decisions", "", "Documented, or left open by the standard.", ""]
    lines += listed([claim for claim in claims if "differs" in claim])
    return "\n".join(lines) + "\n"
