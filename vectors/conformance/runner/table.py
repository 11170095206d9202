"""The table of implementations, and what is claimed of them."""

from __future__ import annotations

from typing import Any

from .judge import CANNOT, CRASHED, DIFFERS, FAILED, PASSED
from .report import Part

HEAD = """# Results by implementation

*Failed* contradicts the standard that decides the test; *differs* is another reading if none does,
or a documented decision; *crashed* is neither an answer nor a refusal; *not expressible* is what an implementation has
no way to say. `Benchmarks` compares the times of some of them.

The vectors are by the authors of libotp. Nine of the thirteen other versions are of the years 2015 to 2023, five of
them in Debian 12. The third column is about the bugs below: each version was run, but for totp-rs 6.0.0, whose source
was read (`src/url.rs`: `parts_from_url`, `split_label`, `to_url`; `src/builder.rs`: `build`).

| implementation | version | newest version, and still there? | run on, vectors | passed | differs | failed | crashed \
| not expressible |
|---|---|---|---|--:|--:|--:|--:|--:|"""
SECTIONS = {
    "Bugs": "The lines run in `vectors/conformance`, with `.build-conformance/venv/bin` and\n`.build-conformance` "
            "first in `PATH`. The comment is all that they print, or the exception that ends\nthem.",
    "Decisions": "Documented, or left open by the standard."}


def part(result: dict[str, Any], claims: list[dict[str, Any]]) -> Part:
    """One implementation's lines of the report: what each claim about it says, its source, and how to repeat it."""
    row = [result["name"], f"{result['version']} ({result['source']})", "?", result["run"],
           *(f"{result['counts'].get(name, 0):,}" for name in (PASSED, DIFFERS, FAILED, CRASHED, CANNOT))]
    lines = {"": [f"| {' | '.join(row)} |"], **{section: [] for section in SECTIONS}}
    for claim in (claim for claim in claims if claim["peer"] == result["name"]):
        tests = f"{claim['failing']} test{'' if claim['failing'] == 1 else 's'}"
        lines["Bugs" if "bug" in claim else "Decisions"].append(
            f"{text_of(claim)} ({claim['cites']}: “{claim['sentence']}”; {tests})\n  `{claim['repeat']}   # "
            f"{claim['prints']}`")
    return lines


def text_of(claim: dict[str, Any]) -> str:
    """What a claim says: a bug, or how an implementation differs."""
    return str(claim.get("bug") or claim["differs"])
