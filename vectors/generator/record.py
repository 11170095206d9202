"""The reference of a factor's memory: what was accepted last, the failures, and when the next attempt is looked at."""

from __future__ import annotations

from dataclasses import dataclass

from .document import Fields
from .otp import MAX_COUNTER, HotpKey, TotpKey
from .typed import read
from .verification import is_well_formed, verify_hotp, verify_totp

CEILING = 100
"""Consecutive failures after which time does not help (NIST SP 800-63B-4, section 3.2.2)."""


@dataclass(frozen=True)
class Policy:
    """How far codes are searched for, in steps or counters, and how attempts are slowed down, in seconds."""

    failures_until_lock: int
    lock_seconds: int
    first_delayed_failure: int
    initial_delay_seconds: int
    window: int = 0
    look_ahead: int = 0
    resynchronization_look_ahead: int = 0

    def pause(self, failures: int) -> int | None:
        """How long nothing is looked at after this many consecutive failures; None is for ever."""
        if failures >= CEILING:
            return None
        if failures >= self.failures_until_lock:
            return self.lock_seconds
        if failures < self.first_delayed_failure:
            return 0
        return min(self.initial_delay_seconds << (failures - self.first_delayed_failure), self.lock_seconds)


class Record:
    """One factor. `last` is the step or counter that was accepted last, or None."""

    def __init__(self, key: TotpKey | HotpKey, policy: Policy, last: int | None) -> None:
        self.key, self.policy, self.last = key, policy, last
        self.failures = 0
        self.latest: int | None = None

    def submit(self, time: int, codes: list[str]) -> Fields:
        """Answer a code, or consecutive codes that resynchronize a counter."""
        digits = self.key.hotp.digits if isinstance(self.key, TotpKey) else self.key.digits
        codes = [read(code) or "" for code in codes]
        if not all(is_well_formed(code, digits) for code in codes):
            return {"answer": "rejected"}
        now = time if self.latest is None else max(time, self.latest)
        pause = self.policy.pause(self.failures)
        if pause is None:
            return {"answer": "locked", "until": None}
        if self.latest is not None and now < self.latest + pause:
            is_lock = self.failures >= self.policy.failures_until_lock
            return {"answer": "locked" if is_lock else "wait", "until": str(self.latest + pause)}
        self.failures += 1
        self.latest = now
        matched = self._match(time, codes)
        if matched is None:
            return {"answer": "rejected"}
        self.failures, self.last = 0, matched
        return {"answer": "accepted", "matched": str(matched)}

    def unlock(self, time: int) -> Fields:
        """An administrator clears the failures, but not those after which only a new enrollment helps."""
        if self.failures < CEILING:
            self.failures = 0
            # Only a wrong clock can have dated it.
            self.latest = None if self.latest is None or self.latest > time else self.latest
        return {"answer": "unlocked"}

    def _match(self, time: int, codes: list[str]) -> int | None:
        if isinstance(self.key, TotpKey):
            return verify_totp(
                self.key, codes[0], time, self.policy.window, self.policy.window, self.last).moving_factor
        following = 0 if self.last is None else self.last + 1
        if len(codes) == 1:
            return verify_hotp(self.key, codes[0], following, self.policy.look_ahead).moving_factor
        for first in range(following, following + self.policy.resynchronization_look_ahead + 1):
            run = range(first, first + len(codes))
            if run[-1] <= MAX_COUNTER and [self.key.code(counter) for counter in run] == codes:
                return run[-1]
        return None
