"""mintotp: https://pypi.org/project/mintotp. Its totp() reads the clock; hotp() is what is under it."""

from importlib.metadata import version

import mintotp
from adapter import base32, serve


def hotp(algorithm, digits, secret, counter):
    return mintotp.hotp(base32(secret).rstrip("="), counter, digits, algorithm.lower())


serve("mintotp " + version("mintotp"), {
    "hotp": hotp,
    "base32-code": lambda algorithm, digits, counter, text: mintotp.hotp(text, counter, digits, algorithm.lower()),
})
