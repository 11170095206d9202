"""Codes as a user's app shows them, by RFC 6238, and wrong ones."""

from __future__ import annotations

import hashlib
import hmac
import struct
from dataclasses import dataclass
from functools import lru_cache
from typing import Iterator

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
        return self._shown(hmac.new(self.secret, struct.pack(">Q", step), self.algorithm).digest())

    def wrong(self, now: float, number: int) -> str:
        """The wrong code of that number: none of any step near now."""
        step = self.step(now)
        near = {self.at_step(near) for near in range(step - WIDEST, step + WIDEST + 1)}
        return next(code for code in (f"{(number * 7919 + extra) % 10**self.digits:0{self.digits}}"
                                      for extra in range(100)) if code not in near)

    def steps(self, first: int, count: int) -> Iterator[tuple[int, str]]:
        """Steps with their codes, faster than one by one."""
        block = hashlib.new(self.algorithm).block_size
        key = self.secret if len(self.secret) <= block else hashlib.new(self.algorithm, self.secret).digest()
        key = key.ljust(block, b"\0")
        inner = hashlib.new(self.algorithm, bytes(byte ^ 0x36 for byte in key))
        outer = hashlib.new(self.algorithm, bytes(byte ^ 0x5C for byte in key))
        for step in range(first, first + count):
            one, two = inner.copy(), outer.copy()
            one.update(struct.pack(">Q", step))
            two.update(one.digest())
            yield step, self._shown(two.digest())

    def _shown(self, digest: bytes) -> str:
        offset = digest[-1] & 15
        number = int.from_bytes(digest[offset:offset + 4], "big") & 0x7FFFFFFF
        return f"{number % 10**self.digits:0{self.digits}}"

    def next_with_zero(self, now: float) -> int:
        """The next step but one, or a later one, whose code begins with 0."""
        return next(step for step, code in self.steps(self.step(now) + 2, 10_000) if code[0] == "0")

    def next_collision(self, now: float, count: int = 4_000_000) -> int | None:
        """A later step whose code the step after it has too; one in a million has."""
        last = ""
        for step, code in self.steps(self.step(now) + 2, count):
            if code == last:
                return step - 1
            last = code
        return None
