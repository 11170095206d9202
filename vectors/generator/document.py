"""A vector file as a value: groups of tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .errors import ensure

Fields = dict[str, Any]

FORMAT = "otp-vectors/2"
DATA_VERSION = "2.5.0"
"""The version of all files together; README.md says when it changes and what a change means."""


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

    def fields(self) -> Fields:
        """The file's own fields in the order in which they are written."""
        note: Fields = {} if self.comment is None else {"comment": self.comment}
        return {"format": FORMAT, "version": DATA_VERSION, "source": self.source} | note

    def test_count(self) -> int:
        """The number of tests in the file."""
        return sum(len(group.tests) for group in self.groups)
