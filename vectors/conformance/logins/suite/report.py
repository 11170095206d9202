"""The results as lines, JSON and Markdown."""

from __future__ import annotations

from collections import Counter
from datetime import date
from typing import Any

from .catalog import CANNOT, CRASHED, DIFFERS, FAILED, OPEN, PASSED, TESTS, Verdict
from runner.report import Part, render

OUTCOMES = (PASSED, DIFFERS, FAILED, CRASHED, CANNOT)
SECTIONS = {"Failed": FAILED, "Crashed": CRASHED, "Differs": DIFFERS}
Result = dict[str, Any]

HEAD = """# Results by login

Written by `make conformance-logins`; see [logins/README.md](../logins/README.md) for what the tests do. *Failed*
breaks a sentence that binds any login with such codes (RFC 4226, RFC 6238, ASVS 5.0 up to level 2). *Differs* is what
those leave open or only recommend, what only SP 800-63B-4 or PCI DSS asks, or what the login's documentation leaves
to its users. *Not expressible* is what a login has no way to do, or its adapter none to show; without a limit, also
how it could be evaded. (A run with `--json` names each test.) A race that is not won within ten seconds counts as
passed. The suite is by the authors of the logins of *this repository*. A row has the day of its run, and the tests of
that day. `vectors/conformance/logins/run.sh --only NAME --test TEST …` repeats tests (of requests at once with
`--seconds 120`).

| login | version | newest version, and still there? | run on | passed | differs | failed | crashed | not expressible |
|---|---|---|---|--:|--:|--:|--:|--:|"""


def line(verdict: Verdict) -> str:
    """A verdict for people."""
    return f"{verdict.outcome:15} {verdict.test.name}{': ' if verdict.note else ''}{verdict.note}"


def result(about: dict[str, Any], name: str, verdicts: list[Verdict]) -> Result:
    """One login's results as JSON."""
    return {"name": name, "version": about["version"], "source": about.get("source", ""),
            "configured": about.get("configured", ""), "date": str(date.today()),
            "counts": dict(Counter(verdict.outcome for verdict in verdicts)),
            "tests": [{"name": verdict.test.name, "group": verdict.test.group,
                       "severity": "low" if verdict.is_open else verdict.test.severity, "outcome": verdict.outcome,
                       "note": verdict.note, "documented": verdict.documented, "about": verdict.test.about,
                       "key": sentence.key, "cites": sentence.source, "sentence": sentence.text}
                      for verdict in verdicts for sentence in [OPEN if verdict.is_open else verdict.test.sentence]]}


def counts(found: Result) -> str:
    """The counts in a line."""
    return ", ".join(f"{found['counts'][name]} {name}" for name in OUTCOMES if found["counts"].get(name))


def part(found: Result) -> Part:
    """One login's lines of the report, with one for each reason to fail or differ."""
    row = [found["name"], f"{found['version']} ({found['source']})", "?", found["date"],
           *(str(found["counts"].get(name, 0)) for name in OUTCOMES)]
    lines = {"": [f"| {' | '.join(row)} |"], "As configured": [found["configured"]] if found["configured"] else []}
    for section, outcome in SECTIONS.items():
        reasons: dict[str, list[dict[str, str]]] = {}
        for test in (test for test in found["tests"] if test["outcome"] == outcome):
            reasons.setdefault(test["documented"] or test["note"] + test["key"], []).append(test)
        for tests in reasons.values():
            names, notes, keys, severities = (list(dict.fromkeys(test[field] for test in tests))
                                              for field in ("name", "note", "key", "severity"))
            says = f" ({tests[0]['documented']})" if tests[0]["documented"] else ""
            lines.setdefault(section, []).append(
                f"{', '.join(f'`{name}`' for name in names)} ({', '.join(severities)}): {'; '.join(notes)}{says}. "
                f"*{'; '.join(keys)}*")
    return lines


def markdown(parts: dict[str, Part]) -> str:
    """The whole report, with the sentences that its lines cite by their keys."""
    cited = {key for part in parts.values() for section in SECTIONS for text in part.get(section, [])
             for key in text.rpartition(". *")[2].rstrip("*").split("; ")}
    sentences = {test.sentence.key: test.sentence for test in TESTS}
    lines = [f"- *{key}*: {sentences[key].source}: “{sentences[key].text}”" for key in sorted(cited - {OPEN.key})]
    return "\n".join([render(HEAD, parts, {"As configured": "", **dict.fromkeys(SECTIONS, "")}), "## Sentences", "",
                      *lines, f"- *{OPEN.key}*: {OPEN.text}"]) + "\n"
