"""hotpie, the package hotpie of PyPI"""

import hotpie
from adapter import DIGESTS, need, serve


def totp(algorithm, digits, period, t0, secret, time):
    need(t0 == 0)
    return hotpie.TOTP(secret, digits, period, time, DIGESTS[algorithm])


serve("hotpie", {
    "totp": totp,
    "hotp": lambda algorithm, digits, secret, counter: hotpie.HOTP(secret, counter, digits, DIGESTS[algorithm])})
