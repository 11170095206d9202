"""The promise that an id means the same test for ever: every released test has its digest in `vectors/released.txt`.

A line is a group's id, how many tests it had, and a digest of what they ask and expect. Comments, flags, needs and
references may still be improved, an answer may become one of two that are right (`acceptable`), and tests may be added
at a group's end.
"""

from __future__ import annotations

import hashlib
import json

from .document import Fields, Group, VectorFile

_MAY_CHANGE = ("comment", "flags", "needs", "result", "ours", "otherStep")
"""Fields. Of `result` and `ours`, the answer that the test states stays."""


def text(files: list[VectorFile]) -> str:
    """The record of all groups as they are now."""
    lines = [f"{group.id} {len(group.tests)} {_digest(group, len(group.tests))}" for group in _groups(files)]
    return "\n".join(lines) + "\n"


def broken(record: str, files: list[VectorFile]) -> list[str]:
    """One line for each released group that is gone or whose released tests are not what they were."""
    groups = {group.id: group for group in _groups(files)}
    found = []
    for line in record.splitlines():
        name, count, digest = line.split()
        if name not in groups:
            found.append(f"{name}: a released group is gone")
        elif len(groups[name].tests) < int(count) or _digest(groups[name], int(count)) != digest:
            found.append(f"{name}: its first {count} tests are not the released ones")
    return found


def _groups(files: list[VectorFile]) -> list[Group]:
    return [group for file in files for group in file.groups]


def _digest(group: Group, count: int) -> str:
    tests: list[Fields] = [{name: value for name, value in test.items() if name not in _MAY_CHANGE}
                           | {"answer": test.get("ours", test.get("result"))} for test in group.tests[:count]]
    whole = json.dumps([group.type, group.header, tests], sort_keys=True)
    return hashlib.sha256(whole.encode()).hexdigest()[:16]
