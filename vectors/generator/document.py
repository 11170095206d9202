"""A vector file as a value: groups of tests; and its text."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

Fields = dict[str, Any]

FORMAT = "otp-vectors/2"
DATA_VERSION = "2.5.0"
"""The version of all files together; README.md says when it changes and what a change means."""


class VectorError(Exception):
    """A case states something that the reference computation does not confirm, so nothing may be written."""


def ensure(condition: bool, message: str) -> None:
    """Raise `VectorError` with `message` unless `condition` holds (unlike `assert`, also under `python -O`)."""
    if not condition:
        raise VectorError(message)


def number(value: Any) -> int:
    """A number, which the files write as a string if it may need 64 bits."""
    return int(str(value))


@dataclass
class Group:
    """Tests of one type that share `header`; a test's `id` is its place, counted from 1."""

    type: str
    header: Fields = field(default_factory=dict)
    comment: str | None = None
    tests: list[Fields] = field(default_factory=list)
    id: str = ""
    reference: str = ""
    needs: list[str] = field(default_factory=list)

    def fields(self) -> Fields:
        """The group's own fields in the order in which they are written."""
        note: Fields = {} if self.comment is None else {"comment": self.comment}
        named: Fields = {"id": self.id, "type": self.type}
        return named | note | {"reference": self.reference, "needs": list(self.needs)} | self.header


@dataclass(frozen=True)
class VectorFile:
    """One JSON file of the folder."""

    name: str
    source: str
    groups: list[Group]
    comment: str | None = None

    def __post_init__(self) -> None:
        for group in self.groups:
            ensure(bool(group.tests), f"{self.name}: a group without tests")
            texts = [repr({k: v for k, v in test.items() if k not in ("id", "comment")}) for test in group.tests]
            twice = {text for text in texts if texts.count(text) > 1}
            ensure(not twice, f"{self.name}: the same test twice in a group: {sorted(twice)}")

    def text(self) -> str:
        r"""A line for each group, then one for each of its tests, the last with the brackets.

        It is pure ASCII: what is not printable ASCII is a `\u` escape, so that no editor or tool can normalize,
        reorder or hide it.
        """
        note: Fields = {} if self.comment is None else {"comment": self.comment}
        own = {"format": FORMAT, "version": DATA_VERSION, "source": self.source} | note
        lines = ["{", *(f'  {_line(name)}: {_line(value)},' for name, value in own.items()), '  "groups": [']
        for group in self.groups:
            lines.append(f'    {_line(group.fields())[:-1]}, "tests": [')
            lines += [f"      {_line(test)}," for test in group.tests]
            lines[-1] = lines[-1][:-1] + ("]}" if group is self.groups[-1] else "]},")
        return "\n".join([*lines, "  ]", "}"]) + "\n"

    def test_count(self) -> int:
        """The number of tests in the file."""
        return sum(len(group.tests) for group in self.groups)


def _line(value: Any) -> str:
    return json.dumps(value).replace("\x7f", "\\u007f")  # json.dumps leaves this one control character as it is
