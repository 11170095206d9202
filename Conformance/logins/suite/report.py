"""The results as lines, JSON and Markdown."""

from __future__ import annotations

from collections import Counter
from typing import Any

from .catalogue import CANNOT, CRASHED, DIFFERS, FAILED, PASSED, TESTS, Verdict
from .standards import OPEN

OUTCOMES = (PASSED, DIFFERS, FAILED, CRASHED, CANNOT)
Result = dict[str, Any]


def line(verdict: Verdict) -> str:
    """A verdict for people."""
    note = f": {verdict.note}" if verdict.note else ""
    return f"{verdict.outcome:15} {verdict.test.name}{note}"


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


def merged(last: Result, found: Result) -> Result:
    """The last results of a login with new ones in their place, unless the version is another."""
    tests = {test["name"]: test for test in (last["tests"] if last["version"] == found["version"] else [])}
    tests |= {test["name"]: test for test in found["tests"]}
    ordered = [tests[case.name] for case in TESTS if case.name in tests]
    return found | {"tests": ordered, "counts": dict(Counter(test["outcome"] for test in ordered))}


def counts(found: Result) -> str:
    """The counts in a line."""
    return ", ".join(f"{found['counts'][name]} {name}" for name in OUTCOMES if found["counts"].get(name))


def shown(found: Result, outcome: str) -> list[str]:
    """The rows of one outcome, each with its sentence, and the command that repeats it if that is a claim."""
    lines = []
    for test in found["tests"]:
        if test["outcome"] == outcome:
            lines.append(f"- **{found['name']}**, `{test['name']}` ({test['severity']}): {test['note']}. "
                         f"{test['cites']}: “{test['sentence']}”")
            if outcome != DIFFERS:
                race = " --seconds 120" if test["note"].endswith("with one code") else ""
                command = f"Conformance/logins/run.sh --only '{found['name']}' --test {test['name']}{race}"
                lines += ["", "  ```sh", f"  {command}", "  ```"]
    return lines


def markdown(results: list[Result]) -> str:
    """The whole report."""
    lines = ["# Who fails what, of logins", "",
             "Written by `make conformance-logins`; see [logins/README.md](../logins/README.md) for what the tests do.",
             "*Failed* breaks a sentence that binds any login with such codes (RFC 4226, RFC 6238, ASVS 5 up to level",
             "2); *differs* is what those leave open, or only recommend, or what only SP 800-63B-4 or PCI DSS asks;",
             "*not expressible* is what a login has no way to do, or its adapter none to show.", "",
             "| login | version | passed | differs | failed | crashed | not expressible |",
             "|---|---|--:|--:|--:|--:|--:|"]
    for found in results:
        part = "" if len(found["tests"]) == len(TESTS) else f", {len(found['tests'])} of {len(TESTS)} tests"
        cells = [found["name"] + part, f"{found['version']} ({found['source']})",
                 *(str(found["counts"].get(name, 0)) for name in OUTCOMES)]
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", "## As configured", ""]
    lines += [f"- **{found['name']}**: {found['configured']}" for found in results if found["configured"]]
    lines += ["", "A row of *Differs* is repeated by such a command as those of *Failed* have."]
    for title, outcome in (("Failed", FAILED), ("Crashed", CRASHED), ("Differs", DIFFERS)):
        rows = [text for found in results for text in shown(found, outcome)]
        if rows:
            lines += ["", f"## {title}", "", *rows]
    lines += ["", "## Each test", "", "| test | " + " | ".join(found["name"] for found in results) + " |",
              "|---|" + "---|" * len(results)]
    for case in TESTS:
        found_of = [next((test for test in found["tests"] if test["name"] == case.name), None) for found in results]
        lines.append(f"| `{case.name}` | " + " | ".join(
            "" if test is None or test["outcome"] == CANNOT else test["outcome"] for test in found_of) + " |")
    lines += ["", "## Reported", "", "What was measured, without a verdict.", ""]
    for found in results:
        notes = [f"`{test['name']}` {test['note']}" for test in found["tests"]
                 if test["outcome"] == PASSED and test["note"]]
        if notes:
            lines.append(f"- **{found['name']}**: " + "; ".join(notes))
    return "\n".join(lines) + "\n"
