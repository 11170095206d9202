"""cryptography's twofactor, the package cryptography of PyPI"""

from contextlib import suppress

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
        verify(code.encode(), factor)
        return True
    return False


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


serve("cryptography", {
    "hmac": hmac, "verify-totp": verify_totp, "verify-hotp": verify_hotp, "uri-build": uri_build,
    "hotp": lambda *key: hotp_of(*key[:3]).generate(key[3]).decode(),
    "totp": lambda *key: totp_of(*key[:5]).generate(key[5]).decode()})
