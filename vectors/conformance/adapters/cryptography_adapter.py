"""cryptography's twofactor, the package cryptography of PyPI"""

from contextlib import suppress
from functools import partial
from importlib.metadata import version

from adapter import need, serve, verdict
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.hmac import HMAC
from cryptography.hazmat.primitives.twofactor import InvalidToken, hotp, totp

HASHES = {"SHA1": hashes.SHA1(), "SHA256": hashes.SHA256(), "SHA512": hashes.SHA512()}


def hmac(algorithm, key, message):
    mac = HMAC(key, HASHES[algorithm])
    mac.update(message)
    return mac.finalize()


def hotp_of(algorithm, digits, secret):
    return hotp.HOTP(secret, digits, HASHES[algorithm], enforce_key_length=False)


def totp_of(algorithm, digits, period, t0, secret):
    need(t0 == 0)
    return totp.TOTP(secret, digits, HASHES[algorithm], period, enforce_key_length=False)


def is_right(verify, code, factor):
    with suppress(InvalidToken):
        return verify(code.encode(), factor) is None


def verify_totp(algorithm, digits, period, t0, secret, code, time, behind, ahead, after):
    need(behind == ahead == 0 and after is None)
    return verdict(is_right(totp_of(algorithm, digits, period, t0, secret).verify, code, time))


def verify_hotp(algorithm, digits, secret, code, counter, look_ahead):
    need(look_ahead == 0)
    return verdict(is_right(hotp_of(algorithm, digits, secret).verify, code, counter), counter)


def uri_build(kind, issuer, account, secret, algorithm, digits, number):
    if kind == "hotp":
        return hotp_of(algorithm, digits, secret).get_provisioning_uri(account, number, issuer).encode()
    return totp_of(algorithm, digits, number, 0, secret).get_provisioning_uri(account, issuer).encode()


def timed(window):
    need(window == 0)
    return partial(is_right, totp_of("SHA1", 6, 30, 0, b"12345678901234567890").verify, "000001", 1111111109)


serve("cryptography " + version("cryptography"), {
    "hmac": hmac, "verify-totp": verify_totp, "verify-hotp": verify_hotp, "uri-build": uri_build, "time": timed,
    "hotp": lambda *key: hotp_of(*key[:3]).generate(key[3]).decode(),
    "totp": lambda *key: totp_of(*key[:5]).generate(key[5]).decode()})
