"""The reference verifiers: plain statements of which codes are accepted, written for reading, not for secrecy."""

from __future__ import annotations

from dataclasses import dataclass

from .otp import MAX_COUNTER, HotpKey, TotpKey


@dataclass(frozen=True)
class Verdict:
    """A verifier's outcome, with the matched step or counter, and its distance from the current one."""

    result: str
    moving_factor: int | None = None
    offset: int | None = None


REJECTED = Verdict("rejected")
REPLAYED = Verdict("replayed")


def is_well_formed(code: str, digits: int) -> bool:
    """Whether `code` is exactly `digits` ASCII digits; nothing else is ever compared."""
    return len(code) == digits and all(character in "0123456789" for character in code)


def verify_totp(key: TotpKey, code: str, time: int, behind: int, ahead: int, after: int | None) -> Verdict:
    """Verify `code` over the steps from `behind` before to `ahead` past the current one.

    The latest matching step wins if it is above `after`; a match only at or below `after` is a replay.
    """
    current = key.step(time)
    if not is_well_formed(code, key.hotp.digits):
        return REJECTED
    first, last = max(0, current - behind), min(MAX_COUNTER, current + ahead)
    matches = [step for step in range(first, last + 1) if key.hotp.code(step) == code]
    if not matches:
        return REJECTED
    latest = matches[-1]
    return Verdict("accepted", latest, latest - current) if after is None or latest > after else REPLAYED


def verify_hotp(key: HotpKey, code: str, counter: int, look_ahead: int) -> Verdict:
    """Verify `code` at `counter` and at the `look_ahead` counters that follow; the earliest match wins."""
    if not is_well_formed(code, key.digits):
        return REJECTED
    for candidate in range(counter, min(MAX_COUNTER, counter + look_ahead) + 1):
        if key.code(candidate) == code:
            return Verdict("accepted", candidate, candidate - counter)
    return REJECTED
