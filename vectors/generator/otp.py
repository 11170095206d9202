"""HOTP (RFC 4226) and TOTP (RFC 6238): the reference implementation of every code in the files."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import ensure
from .hmac_rfc2104 import SHA1, SHA256, SHA512, Algorithm, hmac

MAX_COUNTER = 2**64 - 1
INT64_MIN = -(2**63)
INT64_MAX = 2**63 - 1

SEED_20 = b"12345678901234567890"
SEED_32 = b"12345678901234567890123456789012"
SEED_64 = b"1234567890123456789012345678901234567890123456789012345678901234"
SEEDS = {SHA1: SEED_20, SHA256: SEED_32, SHA512: SEED_64}
"""RFC 6238's seeds: the same ten digits, repeated to the length of each hash."""


@dataclass(frozen=True)
class HotpKey:
    """A secret with its algorithm and number of digits."""

    secret: bytes = SEED_20
    algorithm: Algorithm = SHA1
    digits: int = 6

    def hmac(self, counter: int) -> bytes:
        """The HMAC of `counter` as eight big-endian bytes."""
        ensure(0 <= counter <= MAX_COUNTER, f"counter {counter} is not an unsigned 64-bit number")
        return hmac(self.algorithm, self.secret, counter.to_bytes(8, "big"))

    def truncation_offset(self, counter: int) -> int:
        """The offset at which dynamic truncation reads its four bytes: the low half of the HMAC's last byte."""
        return self.hmac(counter)[-1] & 0x0F

    def truncated(self, counter: int) -> int:
        """The 31-bit number that dynamic truncation reads."""
        offset = self.truncation_offset(counter)
        return int.from_bytes(self.hmac(counter)[offset:offset + 4], "big") & 0x7FFF_FFFF

    def code(self, counter: int) -> str:
        """The code at `counter`, with its leading zeros."""
        return str(self.truncated(counter) % 10**self.digits).zfill(self.digits)


@dataclass(frozen=True)
class TotpKey:
    """A HOTP key whose counter is a time step; `period` and `t0` are in seconds."""

    hotp: HotpKey = HotpKey()
    period: int = 30
    t0: int = 0

    def step(self, time: int) -> int:
        """The time step of `time` (Unix seconds)."""
        ensure(INT64_MIN <= time <= INT64_MAX, f"time {time} is not a signed 64-bit number")
        ensure(INT64_MIN <= self.t0 <= INT64_MAX, f"t0 {self.t0} is not a signed 64-bit number")
        ensure(1 <= self.period <= INT64_MAX, f"period {self.period} is out of range")
        ensure(time >= self.t0, f"time {time} is before t0 {self.t0}: no step")
        return (time - self.t0) // self.period

    def start(self, step: int) -> int:
        """The first second of `step`."""
        return self.t0 + step * self.period
