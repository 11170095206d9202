"""Reads the files, completes their tests, and checks what holds of all of them together.

A test in a file is its inputs, the result that its author expects, and a comment. `generate.py` adds what follows.
"""

from __future__ import annotations

import json
from pathlib import Path

from .acceptance import is_open
from .derived import derived
from .document import Fields, Group, VectorFile, ensure
from .flags import FLAGS, flags_of
from .needs import needs_of_group, needs_of_test

ORDER = ("rfc4226-hotp", "rfc6238-totp", "rfc2202-hmac-sha1", "rfc4231-hmac-sha2", "rfc4648-base32", "hmac-cases",
         "base32-cases", "base32-strict", "truncation-offsets", "extreme-counters", "short-numbers", "totp-steps",
         "verification-windows", "replay-floors", "hotp-look-ahead", "record-sequences", "record-format",
         "secret-to-code", "uri-parse", "uri-build", "uri-round-trip")
"""That of README's table."""


def build_all(folder: Path) -> list[VectorFile]:
    """Every file, completed."""
    files = [_read(folder / f"{name}.json") for name in ORDER]
    groups = [group for file in files for group in file.groups]
    ids = [group.id for group in groups]
    twice = {name for name in ids if ids.count(name) > 1}
    ensure(not twice, f"group ids twice: {sorted(twice)}")
    for group in groups:
        group.needs = needs_of_group(group)
        for place, test in enumerate(group.tests):
            ensure(test.get("id", place + 1) == place + 1, f"{group.id}: test {place + 1} has another id")
            _complete(group, test)
            group.tests[place] = {"id": place + 1} | test
    used = {flag for group in groups for test in group.tests for flag in test["flags"]}
    ensure(used == set(FLAGS), f"flags in one place only: {sorted(used ^ set(FLAGS))}")
    uris = {kind: {test["uri"] for group in groups if group.type == kind for test in group.tests}
            for kind in ("uri-build", "uri-parse")}
    ensure(uris["uri-build"] <= uris["uri-parse"], "a URI of uri-build is not one of uri-parse")
    return files


def _read(path: Path) -> VectorFile:
    content = json.loads(path.read_text(encoding="ascii"))
    groups = []
    for fields in content["groups"]:
        named = {name: fields.pop(name, None) for name in ("id", "type", "comment", "reference", "needs", "tests")}
        groups.append(Group(named["type"], fields, named["comment"], named["tests"], named["id"], named["reference"]))
    return VectorFile(path.name, content["source"], groups, content.get("comment"))


def _complete(group: Group, test: Fields) -> None:
    """Add what the reference determines, which must be what the test states of it."""
    where = f"{group.id}/{test.get('id', 'new')}"
    result = test.get("ours", test.get("result"))
    found = derived(group, test)
    right = found.pop("result", None)
    ensure(right == result, f"{where}: the reference says {right}, the test says {result}")
    for name, value in found.items():
        stated = test.get(name, value)
        if name == "steps":  # of which each may lack its answer
            agrees = all(step.items() <= full.items() for step, full in zip(stated, value, strict=True))
        else:
            agrees = stated == value
        ensure(agrees, f"{where}: the reference says {name} {value}, the test says {stated}")
        test[name] = value
    plain = test | ({} if result is None else {"result": result})
    test["flags"] = sorted({*test.get("flags", ()), *flags_of(group, plain)})
    needs = needs_of_test(group, plain)
    ensure(test.get("needs", needs) == needs, f"{where}: it needs {needs}")
    if needs:
        test["needs"] = needs
    is_acceptable = group.reference != "policy" and result is not None and is_open(group, plain)
    ensure(is_acceptable or "ours" not in test, f"{where}: its reference decides it")
    if is_acceptable:
        test |= {"result": "acceptable", "ours": result}
