"""django-otp's module of codes, the package django-otp of PyPI"""

from adapter import need, serve, verdict
from django_otp.oath import TOTP, hotp


def code_of(algorithm, digits, secret, counter):
    need(algorithm == "SHA1")
    return str(hotp(secret, counter, digits)).zfill(digits)


def totp_of(algorithm, digits, period, t0, secret, time):
    need(algorithm == "SHA1")
    totp = TOTP(secret, period, t0, digits)
    totp.time = time
    return totp


def totp_code(algorithm, digits, *key):
    return str(totp_of(algorithm, digits, *key).token()).zfill(digits)


def verify_totp(algorithm, digits, period, t0, secret, code, time, behind, ahead, after):
    need(behind == ahead)
    totp = totp_of(algorithm, digits, period, t0, secret, time)
    # Its devices convert what a user sends with int(), and reject what that cannot convert.
    try:
        token = int(code)
    except ValueError:
        return "rejected"
    return verdict(totp.verify(token, behind, None if after is None else after + 1), totp.t())


serve("django-otp", {"hotp": code_of, "totp": totp_code, "verify-totp": verify_totp})
