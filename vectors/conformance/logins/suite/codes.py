"""Codes as a user's app shows them, by RFC 6238, and wrong ones."""

from __future__ import annotations

import hmac
import itertools
from dataclasses import dataclass
from functools import lru_cache

WIDEST = 25
"""Steps on each side of now whose codes no wrong guess may have: more than any window that a peer documents."""


@dataclass(frozen=True)
class Key:
    """A secret with its parameters."""

    secret: bytes
    period: int = 30
    digits: int = 6
    algorithm: str = "sha1"

    def step(self, now: float) -> int:
        """The step of a time."""
        return int(now) // self.period

    @lru_cache(8192)
    def at_step(self, step: int) -> str:
        """The code of a step, with its leading zeros."""
        return self._computed(step)

    def _computed(self, step: int) -> str:
        digest = hmac.digest(self.secret, step.to_bytes(8, "big"), self.algorithm)
        offset = digest[-1] & 15
        number = int.from_bytes(digest[offset:offset + 4], "big") & 0x7FFFFFFF
        return f"{number % 10**self.digits:0{self.digits}}"

    def wrong(self, now: float, number: int) -> str:
        """The wrong code of that number: none of any step near now."""
        step = self.step(now)
        near = {self.at_step(near) for near in range(step - WIDEST, step + WIDEST + 1)}
        return next(code for code in (f"{(number * 7919 + extra) % 10**self.digits:0{self.digits}}"
                                      for extra in range(100)) if code not in near)

    def next_with_zero(self, now: float) -> int:
        """The next step but one, or a later one, whose code begins with 0."""
        return next(step for step in itertools.count(self.step(now) + 2) if self.at_step(step)[0] == "0")

    def next_collision(self, now: float, count: int = 4_000_000) -> int | None:
        """A later step whose code the step after it has too; one in a million has."""
        first, last = self.step(now) + 2, ""
        for step in range(first, first + count):
            code = self._computed(step)
            if code == last:
                return step - 1
            last = code
        return None
