"""Dynamic truncation at each of its sixteen offsets."""

from ..document import Group, VectorFile, add_hotp_test, hotp_group
from ..errors import ensure
from ..hmac_rfc2104 import ALGORITHMS, SHA1, Algorithm
from ..otp import SEED_20, HotpKey

SHA1_FIRST_COUNTERS = [0, 20, 25, 10, 2, 9, 5, 12, 28, 14, 7, 1, 4, 32, 3, 34]
"""Typed in from the project's list of cases; offset 0 first."""


def build() -> VectorFile:
    """Sixteen counters per algorithm, in order of their offsets."""
    groups = [_group(algorithm) for algorithm in ALGORITHMS]
    return VectorFile("truncation-offsets.json", "swift-otp: RFC 4226 section 5.3 at every truncation offset", groups,
                      comment="For each offset 0...15 the first counter whose HMAC selects it.")


def _group(algorithm: Algorithm) -> Group:
    key = HotpKey(SEED_20, algorithm, digits=8)
    first: dict[int, int] = {}
    counter = 0
    while len(first) < 16:
        first.setdefault(key.truncation_offset(counter), counter)
        counter += 1
    if algorithm is SHA1:
        found = [first[offset] for offset in range(16)]
        ensure(found == SHA1_FIRST_COUNTERS, f"truncation offsets first seen at {found}")
    group = hotp_group(key)
    for offset in range(16):
        add_hotp_test(group, key, first[offset], f"offset {offset}")
    return group
