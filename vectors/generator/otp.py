"""HOTP (RFC 4226) and TOTP (RFC 6238): the reference implementation of every code in the files."""

from __future__ import annotations

from dataclasses import dataclass

from .document import ensure
from .hmac_rfc2104 import Algorithm, hmac

MAX_COUNTER = 2**64 - 1
INT64_MIN = -(2**63)
INT64_MAX = 2**63 - 1


@dataclass(frozen=True)
class HotpKey:
    """A secret with its algorithm and number of digits."""

    secret: bytes
    algorithm: Algorithm
    digits: int

    def hmac(self, counter: int) -> bytes:
        """The HMAC of `counter` as eight big-endian bytes."""
        ensure(0 <= counter <= MAX_COUNTER, f"counter {counter} is not an unsigned 64-bit number")
        return hmac(self.algorithm, self.secret, counter.to_bytes(8, "big"))

    def truncated(self, counter: int) -> int:
        """The 31-bit number that dynamic truncation reads, at the low half of the HMAC's last byte."""
        tag = self.hmac(counter)
        offset = tag[-1] & 0x0F
        return int.from_bytes(tag[offset:offset + 4], "big") & 0x7FFF_FFFF

    def code(self, counter: int) -> str:
        """The code at `counter`, with its leading zeros."""
        return str(self.truncated(counter) % 10**self.digits).zfill(self.digits)


@dataclass(frozen=True)
class TotpKey:
    """A HOTP key whose counter is a time step; `period` and `t0` are in seconds."""

    hotp: HotpKey
    period: int
    t0: int = 0

    def step(self, time: int) -> int:
        """The time step of `time` (Unix seconds)."""
        ensure(INT64_MIN <= time <= INT64_MAX, f"time {time} is not a signed 64-bit number")
        ensure(INT64_MIN <= self.t0 <= INT64_MAX, f"t0 {self.t0} is not a signed 64-bit number")
        ensure(1 <= self.period <= INT64_MAX, f"period {self.period} is out of range")
        ensure(time >= self.t0, f"time {time} is before t0 {self.t0}: no step")
        return (time - self.t0) // self.period
