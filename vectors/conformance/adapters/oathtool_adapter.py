"""oathtool, of PyPI. Six digits of SHA-1."""

from importlib.metadata import version

import oathtool
from adapter import base32, need, serve


def base32_code(algorithm, digits, counter, text):
    need(algorithm == "SHA1" and digits == 6)
    return oathtool.generate_otp(text, counter)


def hotp(algorithm, digits, secret, counter):
    return base32_code(algorithm, digits, counter, base32(secret).rstrip("="))


serve("oathtool " + version("oathtool"), {"hotp": hotp, "base32-code": base32_code})
