"""TOTP: the step of a time, at the edges of steps and at the ends of 64-bit time."""

from __future__ import annotations

from ..document import Group, VectorFile, add_totp_test, totp_group
from ..errors import ensure
from ..hmac_rfc2104 import SHA1, SHA256, SHA512, Algorithm
from ..otp import INT64_MAX, INT64_MIN, MAX_COUNTER, SEED_20, HotpKey, TotpKey

PERIODS = [1, 15, 30, 60, 3600, 86400, INT64_MAX]
EIGHT_DIGITS = HotpKey(digits=8)


def build() -> VectorFile:
    """Periods, origins, the ends of time, and keys shorter than the hash."""
    groups = [_period(period) for period in PERIODS]
    groups += [_origin(t0, period) for t0 in (1, 1_000_000_000, -1, -45, -1_000_000_000) for period in (30, 60)]
    groups += [_last_times(period) for period in (1, 30, 60)]
    groups += _first_times()
    ensure(HotpKey(SEED_20, SHA256, digits=8).code(1) == "32247374", "SHA-256 with a 20-byte key: not 32247374")
    groups += [_short_key(algorithm) for algorithm in (SHA256, SHA512)]
    groups += [_six_and_seven_digits(digits) for digits in (6, 7)]
    return VectorFile("totp-steps.json", "swift-otp: TOTP time steps (RFC 6238 section 4.2)", groups)


def _period(period: int) -> Group:
    key = TotpKey(EIGHT_DIGITS, period)
    group = totp_group(key)
    times = {0: "t0", period - 1: "last second of step 0", period: "first second of step 1"}
    if period <= INT64_MAX // 2:
        times |= {2 * period - 1: "last second of step 1", 2 * period: "first second of step 2",
                  1234567890: "an ordinary time", 2**31 - 1: "2^31-1", 2**31: "2^31", 2**32: "2^32"}
    for time, comment in times.items():
        add_totp_test(group, key, time, comment)
    return group


def _origin(t0: int, period: int) -> Group:
    key = TotpKey(EIGHT_DIGITS, period, t0)
    group = totp_group(key)
    times = {t0: "t0", t0 + period - 1: "last second of step 0", t0 + period: "first second of step 1",
             t0 + 2 * period: "first second of step 2", 1234567890: "an ordinary time"}
    if t0 < 0:
        times |= {-1: "a second before 1970", 0: "1970"}
    for time, comment in times.items():
        add_totp_test(group, key, time, comment)
    return group


def _last_times(period: int) -> Group:
    key = TotpKey(EIGHT_DIGITS, period)
    group = totp_group(key, "the end of 64-bit time")
    add_totp_test(group, key, INT64_MAX, "2^63-1")
    add_totp_test(group, key, INT64_MAX - 1, "2^63-2")
    if period > 1:
        last_start = key.start(key.step(INT64_MAX))
        add_totp_test(group, key, last_start, "first second of the last step")
        add_totp_test(group, key, last_start - 1, "last second of the step before the last")
    return group


def _first_times() -> list[Group]:
    groups = []
    for period in (1, 30, INT64_MAX):
        key = TotpKey(EIGHT_DIGITS, period, INT64_MIN)
        group = totp_group(key, "t0 is the first 64-bit second: time - t0 does not fit a signed integer")
        for time, comment in ((INT64_MIN, "first second of 64-bit time"), (INT64_MIN + 1, "-2^63+1"),
                              (-1, "step of time -1"), (0, "step of time 0"), (INT64_MAX, "last second")):
            add_totp_test(group, key, time, comment)
        groups.append(group)
    ensure(TotpKey(EIGHT_DIGITS, 1, INT64_MIN).step(INT64_MAX) == MAX_COUNTER, "the last step is not 2^64-1")
    at_the_end = TotpKey(EIGHT_DIGITS, 30, INT64_MAX)
    group = totp_group(at_the_end, "t0 is the last 64-bit second")
    add_totp_test(group, at_the_end, INT64_MAX)
    return [*groups, group]


def _short_key(algorithm: Algorithm) -> Group:
    key = TotpKey(HotpKey(SEED_20, algorithm, digits=8))
    group = totp_group(key, "a 20-byte key is used as it is, not stretched to the length of the hash")
    for time in (59, 1111111109, 1234567890, 20000000000):
        add_totp_test(group, key, time)
    return group


def _six_and_seven_digits(digits: int) -> Group:
    key = TotpKey(HotpKey(SEED_20, SHA1, digits))
    group = totp_group(key, f"{digits} digits: the RFC's eight-digit codes without their first ones")
    for time in (59, 1111111109, 1111111111, 1234567890, 2000000000, 20000000000):
        add_totp_test(group, key, time)
    return group
