"""The results as Markdown and as JSON."""

from __future__ import annotations

from collections import Counter
from typing import Any

from .judge import CANNOT, CRASHED, FAILED, PASSED

Result = dict[str, Any]


def markdown(version: str, results: list[Result], claims: list[dict[str, Any]]) -> str:
    """The whole report."""
    lines = [f"Vectors {version}. *Failed* is against a sentence of the test's reference, *crashed* anything that is "
             "neither an answer nor a refusal; what an implementation has no way to say is *not expressible*. "
             "Nanoseconds are of one verification of a wrong code with a prepared key, in one run on one machine.", "",
             "| implementation | version | passed | failed | crashed | not expressible | ns ±0 | ns ±1 | ns ±5 |",
             "|---|---|--:|--:|--:|--:|--:|--:|--:|"]
    for result in results:
        counts, times = result["counts"], result["nanoseconds"]
        cells = [result["name"], f"{result['version']} ({result['source']})",
                 *(f"{counts.get(name, 0):,}" for name in (PASSED, FAILED, CRASHED, CANNOT)),
                 *("" if times.get(window) is None else f"{times[window]:,}" for window in ("0", "1", "5"))]
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", "## Bugs", ""]
    for claim in claims:
        lines += [f"- **{claim['peer']}**: {claim['bug']} {claim['cites']}: “{claim['sentence']}” "
                  f"({claim['failing']} tests)", "", "  ```sh", f"  {claim['repeat']}   # {claim['prints']}", "  ```"]
    lines += ["", "## Failures by flag", "", "What no bug above claims is a difference that its text may not decide.", ""]
    for result in results:
        if result["flags"]:
            flags = ", ".join(f"{name} {count}" for name, count in sorted(result["flags"].items(), key=lambda it: (-it[1], it[0])))
            lines.append(f"- **{result['name']}**: {flags}")
    return "\n".join(lines) + "\n"


def by_flag(failures: list[dict[str, Any]]) -> dict[str, int]:
    """How many failures and crashes have each flag; one without flags counts under its group's type."""
    counts: Counter[str] = Counter()
    for failure in failures:
        counts.update(failure["flags"] or [failure["type"]])
    return dict(counts)
