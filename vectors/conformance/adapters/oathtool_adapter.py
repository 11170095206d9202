"""oathtool, of PyPI. Six digits of SHA-1."""

import oathtool
from adapter import hotp_by, need, serve


def base32_code(algorithm, digits, counter, text):
    need(algorithm == "SHA1" and digits == 6)
    return oathtool.generate_otp(text, counter)


serve("oathtool", {"hotp": hotp_by(base32_code), "base32-code": base32_code})
