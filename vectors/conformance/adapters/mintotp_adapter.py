"""mintotp, on PyPI. Its totp() reads the clock, so hotp() below it is used."""

from importlib.metadata import version

import mintotp
from adapter import base32, serve


def hotp(algorithm, digits, secret, counter):
    return mintotp.hotp(base32(secret).rstrip("="), counter, digits, algorithm.lower())


serve("mintotp " + version("mintotp"), {
    "hotp": hotp,
    "base32-code": lambda algorithm, digits, counter, text: mintotp.hotp(text, counter, digits, algorithm.lower()),
})
