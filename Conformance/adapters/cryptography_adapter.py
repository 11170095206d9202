"""cryptography's twofactor: https://pypi.org/project/cryptography"""

from importlib.metadata import version

from adapter import need, serve
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.hmac import HMAC
from cryptography.hazmat.primitives.twofactor import InvalidToken
from cryptography.hazmat.primitives.twofactor.hotp import HOTP
from cryptography.hazmat.primitives.twofactor.totp import TOTP

HASHES = {"SHA1": hashes.SHA1(), "SHA256": hashes.SHA256(), "SHA512": hashes.SHA512()}


def hmac(algorithm, key, message):
    mac = HMAC(key, HASHES[algorithm])
    mac.update(message)
    return mac.finalize()


def hotp_of(algorithm, digits, secret):
    return HOTP(secret, digits, HASHES[algorithm], enforce_key_length=False)


def totp_of(algorithm, digits, period, t0, secret):
    need(t0 == 0)
    return TOTP(secret, digits, HASHES[algorithm], period, enforce_key_length=False)


def is_right(verify, code, factor):
    try:
        verify(code.encode(), factor)
    except InvalidToken:
        return False
    return True


def verify_totp(algorithm, digits, period, t0, secret, code, time, behind, ahead, after):
    need(behind == ahead == 0 and after is None)
    return "accepted" if is_right(totp_of(algorithm, digits, period, t0, secret).verify, code, time) else "rejected"


def verify_hotp(algorithm, digits, secret, code, counter, look_ahead):
    need(look_ahead == 0)
    return f"accepted {counter}" if is_right(hotp_of(algorithm, digits, secret).verify, code, counter) else "rejected"


def uri_build(kind, issuer, account, secret, algorithm, digits, number):
    if kind == "hotp":
        return hotp_of(algorithm, digits, secret).get_provisioning_uri(account, number, issuer).encode()
    return totp_of(algorithm, digits, number, 0, secret).get_provisioning_uri(account, issuer).encode()


def timed(window):
    need(window == 0)
    totp = totp_of("SHA1", 6, 30, 0, b"12345678901234567890")
    return lambda: is_right(totp.verify, "000001", 59)


serve("cryptography " + version("cryptography"), {
    "hmac": hmac, "hotp": lambda *key: hotp_of(*key[:3]).generate(key[3]).decode(), "verify-totp": verify_totp,
    "totp": lambda *key: totp_of(*key[:5]).generate(key[5]).decode(), "verify-hotp": verify_hotp,
    "uri-build": uri_build, "time": timed})
