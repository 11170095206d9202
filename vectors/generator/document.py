"""A vector file as a value: groups of tests. Identifiers are assigned here."""

from __future__ import annotations

from dataclasses import dataclass, field

from .errors import ensure
from .hmac_rfc2104 import Algorithm
from .otp import HotpKey, TotpKey

Value = None | int | str | list[str] | list["Value"] | dict[str, "Value"]
Fields = dict[str, Value]

FORMAT = "otp-vectors/2"
DATA_VERSION = "2.4.0"
"""The version of all files together; README.md says when it changes and what a change means."""


def number(value: Value) -> int:
    """A number, which the files write as a string if it may need 64 bits."""
    return int(str(value))


@dataclass
class Group:
    """Tests of one type that share `header`; a test's `id` is its place, counted from 1."""

    type: str
    header: Fields = field(default_factory=dict)
    comment: str | None = None
    tests: list[Fields] = field(default_factory=list)
    # The catalogue assigns the rest.
    id: str = ""
    reference: str = ""
    needs: list[str] = field(default_factory=list)

    def add(self, fields: Fields, comment: str | None = None) -> None:
        """Append a test, with its identifier and comment first."""
        note: Fields = {} if comment is None else {"comment": comment}
        self.tests.append({"id": len(self.tests) + 1} | note | fields)

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


def hmac_group(algorithm: Algorithm, comment: str | None = None) -> Group:
    """An empty `hmac` group."""
    return Group("hmac", {"algorithm": algorithm.name}, comment)


def hotp_group(key: HotpKey, comment: str | None = None, type_name: str = "hotp") -> Group:
    """An empty group of a type whose header is a HOTP key."""
    header: Fields = {"algorithm": key.algorithm.name, "digits": key.digits, "secretHex": key.secret.hex()}
    return Group(type_name, header, comment)


def totp_group(key: TotpKey, comment: str | None = None, type_name: str = "totp") -> Group:
    """An empty group of a type whose header is a TOTP key."""
    header: Fields = {
        "algorithm": key.hotp.algorithm.name,
        "digits": key.hotp.digits,
        "period": str(key.period),
        "t0": str(key.t0),
        "secretHex": key.hotp.secret.hex(),
    }
    return Group(type_name, header, comment)


def add_hotp_test(group: Group, key: HotpKey, counter: int, comment: str | None = None) -> None:
    """Append the code of `key` at `counter`, with the HMAC and the truncated number that lead to it."""
    group.add({
        "counter": str(counter),
        "hmacHex": key.hmac(counter).hex(),
        "truncated": key.truncated(counter),
        "code": key.code(counter),
    }, comment)


def add_totp_test(group: Group, key: TotpKey, time: int, comment: str | None = None) -> None:
    """Append the code of `key` at `time`."""
    step = key.step(time)
    group.add({"time": str(time), "step": str(step), "code": key.hotp.code(step)}, comment)
