"""mintotp, on PyPI. Its totp() reads the clock, so hotp() below it is used."""

import mintotp
from adapter import hotp_by, serve


def base32_code(algorithm, digits, counter, text):
    return mintotp.hotp(text, counter, digits, algorithm.lower())


serve("mintotp", {"hotp": hotp_by(base32_code), "base32-code": base32_code})
