"""HOTP verification: forward only, as far as the look-ahead goes."""

from __future__ import annotations

from ..document import Group, VectorFile
from ..errors import ensure
from ..hmac_rfc2104 import SHA1, SHA256, SHA512
from ..otp import MAX_COUNTER, SEEDS, HotpKey
from .verification_windows import TWINS, ZERO_STEPS
from .verify_cases import HotpCases, malformed, replace_digit


def build() -> VectorFile:
    """All groups."""
    groups = [_edges(), _past(), _top(), _twins(), _all_zeros(), _large_counters(), _near_misses(), _malformed()]
    groups += [_other_key(HotpKey(SEEDS[algorithm], algorithm, digits))
               for algorithm in (SHA1, SHA256, SHA512) for digits in (7, 8)]
    return VectorFile("hotp-look-ahead.json", "swift-otp: HOTP verification (RFC 4226 section 7.4)", groups)


def _edges() -> Group:
    cases = HotpCases(HotpKey(), "the counter itself, the last one looked at, and the one after it")
    for look_ahead in (0, 1, 5, 10, 100, 1000):
        for counter in (0, 7, 1_000_000):
            name = f"counter {counter}, look-ahead {look_ahead}"
            last = counter + look_ahead
            cases.add(cases.key.code(counter), counter, look_ahead, f"{name}: the counter itself", matched=counter)
            if look_ahead > 0:
                cases.add(cases.key.code(last), counter, look_ahead, f"{name}: the last one", matched=last)
            if look_ahead > 1:
                middle = counter + look_ahead // 2
                cases.add(cases.key.code(middle), counter, look_ahead, f"{name}: one in the middle", matched=middle)
            cases.add(cases.key.code(last + 1), counter, look_ahead, f"{name}: the one after the last")
    cases.add("969429", 0, 5, "RFC 4226 counter 3", matched=3)
    return cases.group


def _past() -> Group:
    cases = HotpCases(HotpKey(), "a past counter never matches")
    for counter, look_ahead in ((1, 0), (1, 10), (10, 10), (10, 100), (10, 1000)):
        cases.add(cases.key.code(counter - 1), counter, look_ahead,
                  f"the counter before {counter}, look-ahead {look_ahead}")
    cases.add(cases.key.code(0), 10, 100, "counter 0 at counter 10")
    cases.add(cases.key.code(999_999), 1_000_000, 1000, "counter 999999 at counter 1000000")
    return cases.group


def _top() -> Group:
    cases = HotpCases(HotpKey(), "the look-ahead reaches past 2^64-1: it stops there, nothing wraps")
    code = cases.key.code
    cases.add(code(MAX_COUNTER), MAX_COUNTER, 0, "the last counter alone", matched=MAX_COUNTER)
    cases.add(code(MAX_COUNTER), MAX_COUNTER, 1, "the last counter, one ahead", matched=MAX_COUNTER)
    cases.add(code(MAX_COUNTER), MAX_COUNTER, 1000, "the last counter, 1000 ahead", matched=MAX_COUNTER)
    cases.add(code(MAX_COUNTER), MAX_COUNTER - 1, 1, "from the one before", matched=MAX_COUNTER)
    cases.add(code(MAX_COUNTER), MAX_COUNTER - 1, 0, "from the one before, without look-ahead")
    cases.add(code(MAX_COUNTER), MAX_COUNTER - 1000, 1000, "the look-ahead ends exactly there", matched=MAX_COUNTER)
    cases.add(code(MAX_COUNTER), MAX_COUNTER - 1000, 999, "the look-ahead ends just before")
    cases.add(code(MAX_COUNTER - 1), MAX_COUNTER, 1000, "the counter before the last is past")
    for counter in (0, 1, 9):
        cases.add(code(counter), MAX_COUNTER, 10, f"code of counter {counter}, where the look-ahead would wrap to")
    cases.add(code(0), MAX_COUNTER - 5, 100, "code of counter 0, from 2^64-6")
    return cases.group


def _twins() -> Group:
    cases = HotpCases(HotpKey(), "two counters have the same code: the earliest that is not past counts")
    for early, late in TWINS:
        code, distance = cases.key.code(early), late - early
        cases.add(code, early, distance, f"from {early}, both in reach", matched=early)
        cases.add(code, early - 2, 100, f"from {early - 2}, both in reach", matched=early)
        cases.add(code, early + 1, distance - 1, f"from {early + 1}, {late} the last in reach", matched=late)
        cases.add(code, early + 1, distance - 2, f"from {early + 1}, {late} just out of reach")
        cases.add(code, late, 0, f"from {late}", matched=late)
        cases.add(code, late + 1, 100, f"from {late + 1}, both past")
    return cases.group


def _all_zeros() -> Group:
    cases = HotpCases(HotpKey(), "000000 is a code like any other")
    for counter in ZERO_STEPS:
        cases.add("000000", counter, 0, f"counter {counter}", matched=counter)
        cases.add("000000", counter - 5, 5, f"five before {counter}", matched=counter)
        cases.add("000000", counter + 1, 10, f"one after {counter}")
        cases.add("0", counter, 0, f"counter {counter}, the number instead of the code")
    cases.add("000000", 0, 1000, "no counter in reach has it")
    return cases.group


def _large_counters() -> Group:
    cases = HotpCases(HotpKey(), "counters around the ends of number types")
    for name, counter in (("2^31", 2**31), ("2^32", 2**32), ("2^53", 2**53), ("2^63", 2**63)):
        for offset in (-1, 0, 1):
            comment = f"{name}{offset:+d}" if offset else name
            cases.add(cases.key.code(counter + offset), counter - 2, 3, f"{comment} from {name}-2",
                      matched=counter + offset)
        cases.add(cases.key.code(counter), counter + 1, 10, f"{name} from {name}+1: past")
    cases.add(cases.key.code(2**53 + 1), 2**53 + 1, 0, "2^53+1 alone", matched=2**53 + 1)
    cases.add(cases.key.code(2**53), 2**53 + 1, 0, "2^53 at 2^53+1, which a double cannot tell apart")
    return cases.group


def _near_misses() -> Group:
    cases = HotpCases(HotpKey(), "one digit wrong, whichever it is")
    code = cases.key.code(3)
    for place in range(6):
        cases.add(replace_digit(code, place), 0, 5, f"digit {place + 1} wrong")
    cases.add(code[::-1], 0, 5, "digits reversed")
    return cases.group


def _malformed() -> Group:
    counter = 35
    cases = HotpCases(HotpKey(), "not exactly six ASCII digits: rejected, however close to the right code")
    right = cases.key.code(counter)
    ensure(right.startswith("0"), f"counter {counter}: the code does not begin with a zero")
    for code, comment in malformed(right):
        cases.add(code, counter, 5, comment)
    cases.add(right, counter, 5, "the right code", matched=counter)
    return cases.group


def _other_key(key: HotpKey) -> Group:
    cases = HotpCases(key, f"{key.algorithm.name}, {len(key.secret)}-byte key, {key.digits} digits")
    for counter in (0, 1000, 2**63):
        cases.add(key.code(counter), counter, 10, f"counter {counter}", matched=counter)
        cases.add(key.code(counter + 10), counter, 10, f"ten after {counter}", matched=counter + 10)
        cases.add(key.code(counter + 11), counter, 10, f"eleven after {counter}")
        cases.add(HotpKey(key.secret, key.algorithm, 6).code(counter), counter, 10, f"six-digit code of {counter}")
    other = SHA256 if key.algorithm is SHA1 else SHA1
    cases.add(HotpKey(key.secret, other, key.digits).code(0), 0, 10, f"the {other.name} code of the same key")
    return cases.group
