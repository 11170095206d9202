"""onetimepass: https://pypi.org/project/onetimepass"""

import hashlib
from base64 import b32encode
from importlib.metadata import version

import onetimepass
from adapter import need, serve

DIGESTS = {"SHA1": hashlib.sha1, "SHA256": hashlib.sha256, "SHA512": hashlib.sha512}


def base32_code(algorithm, digits, counter, text):
    return onetimepass.get_hotp(text, counter, True, digest_method=DIGESTS[algorithm], token_length=digits).decode()


def hotp(algorithm, digits, secret, counter):
    return base32_code(algorithm, digits, counter, b32encode(secret).decode())


def totp(algorithm, digits, period, t0, secret, time):
    need(t0 == 0)
    return onetimepass.get_totp(b32encode(secret), True, DIGESTS[algorithm], digits, period, time).decode()


def verify_totp(algorithm, digits, period, t0, secret, code, time, behind, ahead, after):
    need(t0 == 0 and behind == ahead and after is None)
    is_right = onetimepass.valid_totp(code, b32encode(secret), DIGESTS[algorithm], digits, period, time, behind)
    return "accepted" if is_right else "rejected"


def verify_hotp(algorithm, digits, secret, code, counter, look_ahead):
    # `last` is the one before the first that is tried.
    found = onetimepass.valid_hotp(code, b32encode(secret), counter - 1, look_ahead + 1, DIGESTS[algorithm], digits)
    return "rejected" if found is False else f"accepted {found}"


def timed(window):
    secret = b32encode(b"12345678901234567890")
    return lambda: onetimepass.valid_totp("000001", secret, clock=59, window=window)


serve("onetimepass " + version("onetimepass"), {
    "hotp": hotp, "totp": totp, "base32-code": base32_code, "verify-totp": verify_totp, "verify-hotp": verify_hotp,
    "time": timed}, (ValueError, TypeError))
