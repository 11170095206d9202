"""The result of a verification."""

from __future__ import annotations

from otp import _header as c
from otp._header import Result
from otp._values import dataclass


@dataclass(frozen=True)
class Match:
    """A verification's result, which is true if the code was accepted."""

    result: Result
    #: If accepted: the time step (TOTP) or counter (HOTP) whose code it is. Store it before acting on the match.
    step: int = 0
    #: If accepted: how far `step` is from the current step or the expected counter.
    offset: int = 0

    def __bool__(self) -> bool:
        return self.result == Result.ACCEPTED


_REJECTED = Match(Result.REJECTED)
_REPLAYED = Match(Result.REPLAYED)


def match_of(found: c.Match) -> Match:
    if found.result == Result.ACCEPTED:
        return Match(Result.ACCEPTED, found.step, found.offset)
    return _REPLAYED if found.result == Result.REPLAYED else _REJECTED
