"""HOTP at the counters where integers and floating-point numbers run out, and codes that begin with zeros."""

from __future__ import annotations

from ..document import Group, VectorFile, add_hotp_test, hotp_group
from ..errors import ensure
from ..hmac_rfc2104 import ALGORITHMS, Algorithm
from ..otp import SEED_20, HotpKey

COUNTERS = {
    "0": 0,
    "1": 1,
    "2^31-1": 2**31 - 1,
    "2^31": 2**31,
    "2^32-1": 2**32 - 1,
    "2^32": 2**32,
    "2^53-1": 2**53 - 1,
    "2^53": 2**53,
    "2^53+1": 2**53 + 1,
    "2^63-1": 2**63 - 1,
    "2^63": 2**63,
    "2^64-2": 2**64 - 2,
    "2^64-1": 2**64 - 1,
}
ALL_ZERO_COUNTERS = [349495, 1290532, 1552630]
"""SHA-1, six digits: the code is 000000 (from the project's list of cases)."""
KNOWN_CODES = {2**63 - 1: "181742", 2**64 - 1: "094451"}
"""SHA-1, six digits, typed in from the project's list of cases."""


def build() -> VectorFile:
    """Every counter for every algorithm and digit count, then the codes with leading zeros."""
    for counter, code in KNOWN_CODES.items():
        ensure(HotpKey().code(counter) == code, f"counter {counter}: computed {HotpKey().code(counter)}")
    groups = [_counters(algorithm, digits) for algorithm in ALGORITHMS for digits in (6, 7, 8)]
    groups.append(_all_zeros())
    groups += [_leading_zeros(algorithm, digits) for algorithm in ALGORITHMS for digits in (6, 7, 8)]
    return VectorFile("extreme-counters.json", "swift-otp: HOTP (RFC 4226) at the ends of number types", groups)


def _counters(algorithm: Algorithm, digits: int) -> Group:
    key = HotpKey(SEED_20, algorithm, digits)
    group = hotp_group(key)
    for name, counter in COUNTERS.items():
        add_hotp_test(group, key, counter, name if counter > 1 else None)
    return group


def _all_zeros() -> Group:
    key = HotpKey()
    group = hotp_group(key, "the code is 000000")
    for counter in ALL_ZERO_COUNTERS:
        ensure(key.code(counter) == "000000", f"counter {counter}: not 000000")
        add_hotp_test(group, key, counter)
    return group


def _leading_zeros(algorithm: Algorithm, digits: int) -> Group:
    key = HotpKey(SEED_20, algorithm, digits)
    group = hotp_group(key, "codes with leading zeros: the first counter for each number of them")
    counter = 0
    for zeros in (1, 2, 3):
        while len(key.code(counter)) - len(key.code(counter).lstrip("0")) < zeros:
            counter += 1
        add_hotp_test(group, key, counter, f"{zeros} leading zero{'s' if zeros > 1 else ''}")
        counter += 1
    return group
