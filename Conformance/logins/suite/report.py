"""The results as lines, JSON and Markdown."""

from __future__ import annotations

from collections import Counter
from typing import Any

from .catalog import CANNOT, CRASHED, DIFFERS, FAILED, OPEN, PASSED, TESTS, Verdict

OUTCOMES = (PASSED, DIFFERS, FAILED, CRASHED, CANNOT)
Result = dict[str, Any]

HEAD = """# Results by login

Written by `make conformance-logins`; see [logins/README.md](../logins/README.md) for what the tests do. *Failed* breaks
a sentence that binds any login with such codes (RFC 4226, RFC 6238, ASVS 5.0 up to level 2). *Differs* is what those
leave open or only recommend, what only SP 800-63B-4 or PCI DSS asks, or what the login's documentation leaves to its
users. *Not expressible* is what a login has no way to do, or its adapter none to show. A race that is not won within
ten seconds counts as passed.

| login | version | passed | differs | failed | crashed | not expressible |
|---|---|--:|--:|--:|--:|--:|
"""


def line(verdict: Verdict) -> str:
    """A verdict for people."""
    return f"{verdict.outcome:15} {verdict.test.name}{': ' if verdict.note else ''}{verdict.note}"


def result(about: dict[str, Any], name: str, verdicts: list[Verdict]) -> Result:
    """One login's results as JSON."""
    return {"name": name, "version": about["version"], "source": about.get("source", ""),
            "configured": about.get("configured", ""),
            "counts": dict(Counter(verdict.outcome for verdict in verdicts)),
            "tests": [{"name": verdict.test.name, "group": verdict.test.group,
                       "severity": "low" if verdict.is_open else verdict.test.severity, "outcome": verdict.outcome,
                       "note": verdict.note, "about": verdict.test.about, "cites": sentence.source,
                       "sentence": sentence.text}
                      for verdict in verdicts for sentence in [OPEN if verdict.is_open else verdict.test.sentence]]}


def counts(found: Result) -> str:
    """The counts in a line."""
    return ", ".join(f"{found['counts'][name]} {name}" for name in OUTCOMES if found["counts"].get(name))


def claims(results: list[Result], outcome: str) -> list[str]:
    """Each row of one outcome, with its sentence and the command that repeats it."""
    lines = []
    for found in results:
        for test in (test for test in found["tests"] if test["outcome"] == outcome):
            race = " --seconds 120" if test["note"].endswith("with one code") else ""
            said = test["sentence"] if test["cites"] == OPEN.source else f"{test['cites']}: “{test['sentence']}”"
            lines += [f"- **{found['name']}**, `{test['name']}` ({test['severity']}): {test['note']}. {said}",
                      f"  `Conformance/logins/run.sh --only '{found['name']}' --test {test['name']}{race}`"]
    return lines


def markdown(results: list[Result]) -> str:
    """The whole report."""
    rows = [[found["name"], f"{found['version']} ({found['source']})",
             *(str(found["counts"].get(name, 0)) for name in OUTCOMES)] for found in results]
    lines = ["| " + " | ".join(row) + " |" for row in rows] + ["", "## As configured", ""]
    lines += [f"- **{found['name']}**: {found['configured']}" for found in results if found["configured"]]
    for title, outcome in (("Failed", FAILED), ("Crashed", CRASHED), ("Differs", DIFFERS)):
        lines += ["", f"## {title}", "", *claims(results, outcome)] if claims(results, outcome) else []
    lines += ["", "## Each test", "", "| test | " + " | ".join(found["name"] for found in results) + " |",
              "|---|" + "---|" * len(results)]
    outcomes = [{test["name"]: test["outcome"].replace(CANNOT, "") for test in found["tests"]} for found in results]
    lines += [f"| `{case.name}` | " + " | ".join(found.get(case.name, "") for found in outcomes) + " |"
              for case in TESTS]
    lines += ["", "## Reported", "", "What was measured, without a verdict.", ""]
    for found in results:
        notes = [f"`{test['name']}` {test['note']}" for test in found["tests"]
                 if test["outcome"] == PASSED and test["note"]]
        lines += [f"- **{found['name']}**: " + "; ".join(notes)] if notes else []
    return HEAD + "\n".join(lines) + "\n"
