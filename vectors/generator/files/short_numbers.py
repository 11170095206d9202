"""Codes whose truncated number has fewer digits than the code: the modulo changes nothing, and zeros go in front.

They are rare: a code of six digits comes of a number below 100,000 once in 21,475. A program that prints the number, or
takes its last characters, is right in all other rows.
"""

from __future__ import annotations

from ..document import Group, VectorFile, add_hotp_test, hotp_group
from ..errors import ensure
from ..hmac_rfc2104 import ALGORITHMS, SHA1, SHA256, SHA512, Algorithm
from ..otp import SEED_20, HotpKey

COUNTERS = {
    SHA1: [648, 580, 10281, 732066, 1344148, 2011430, 55484518, 549209910],
    SHA256: [241, 267, 7162, 228408, 86011, 22266553, 100499525],
    SHA512: [76, 745, 11719, 128563, 2433094, 12796710, 170782163],
}
"""Found by a search: numbers of eight digits down to one, hence every number of leading zeros."""


def build() -> VectorFile:
    """A group for each algorithm and digit count."""
    ensure(HotpKey().code(10281) == "092555", "counter 10281: not 092555")
    ensure(HotpKey().code(1344148) == "002814", "counter 1344148: not 002814")
    groups = [_group(algorithm, digits) for algorithm in ALGORITHMS for digits in (6, 7, 8)]
    return VectorFile("short-numbers.json", "swift-otp: RFC 4226 section 5.3, numbers shorter than their codes", groups)


def _group(algorithm: Algorithm, digits: int) -> Group:
    key = HotpKey(SEED_20, algorithm, digits)
    group = hotp_group(key, "the truncated number has fewer digits than the code")
    for counter in COUNTERS[algorithm]:
        zeros = digits - len(str(key.truncated(counter)))
        if zeros > 0:
            add_hotp_test(group, key, counter, f"{zeros} zero{'s' if zeros > 1 else ''} in front")
    return group
