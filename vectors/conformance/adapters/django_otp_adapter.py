"""django-otp's module of codes, the package django-otp of PyPI"""

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


def verifier(algorithm, digits, period, t0, secret, behind, ahead, after):
    need(behind == ahead)
    totp = totp_of(algorithm, digits, period, t0, secret, 0)

    def verify(code, time):
        totp.time = time
        # Its devices convert what a user sends with int(), and reject what that cannot convert.
        try:
            token = int(code)
        except ValueError:
            return False
        is_right = totp.verify(token, behind, None if after is None else after + 1)
        return is_right and f"accepted {totp.t()}"
    return verify


serve("django-otp", {"hotp": code_of, "totp": totp_code, "verifier": verifier})
