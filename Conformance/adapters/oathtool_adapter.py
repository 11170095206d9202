"""oathtool of PyPI: https://pypi.org/project/oathtool. Six digits of SHA-1."""

from base64 import b32encode
from importlib.metadata import version

import oathtool
from adapter import need, serve


def base32_code(algorithm, digits, counter, text):
    need(algorithm == "SHA1" and digits == 6)
    return oathtool.generate_otp(text, counter)


def hotp(algorithm, digits, secret, counter):
    return base32_code(algorithm, digits, counter, b32encode(secret).decode().rstrip("="))


serve("oathtool " + version("oathtool"), {"hotp": hotp, "base32-code": base32_code})
