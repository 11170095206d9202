"""django-otp's module of codes, the package django-otp of PyPI"""

from importlib.metadata import version

from adapter import need, serve
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
    is_right = totp.verify(token, behind, None if after is None else after + 1)
    return f"accepted {totp.t()}" if is_right else "rejected"


def timed(window):
    totp = TOTP(b"12345678901234567890")
    totp.time = 1111111109
    return lambda: totp.verify(1, window)


serve("django-otp " + version("django-otp"),
      {"hotp": code_of, "totp": totp_code, "verify-totp": verify_totp, "time": timed})
