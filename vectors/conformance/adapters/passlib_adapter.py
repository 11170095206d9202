"""passlib's TOTP, on PyPI"""

import warnings
from contextlib import suppress
from importlib.metadata import version

from adapter import need, serve
from passlib.exc import TokenError, UsedTokenError
from passlib.totp import TOTP

warnings.simplefilter("ignore")  # about short keys


def totp_of(algorithm, digits, period, t0, secret):
    need(t0 == 0)
    return TOTP(secret, "raw", digits=digits, alg=algorithm.lower(), period=period)


def verify_totp(algorithm, digits, period, t0, secret, code, time, behind, ahead, after):
    need(behind == ahead)
    try:
        match = totp_of(algorithm, digits, period, t0, secret).match(code, time, behind * period, last_counter=after)
    except UsedTokenError:
        return "replayed"
    except TokenError:
        return "rejected"
    return f"accepted {match.counter}"


def uri_parse(uri):
    need(not uri.lower().startswith("otpauth://hotp"))
    key = TOTP.from_uri(uri)
    return {"type": "totp", "issuer": key.issuer, "account": key.label, "secret": key.key,
            "algorithm": key.alg.upper(), "digits": key.digits, "period": key.period}


def uri_build(kind, issuer, account, secret, algorithm, digits, number):
    need(kind == "totp")
    return totp_of(algorithm, digits, number, 0, secret).to_uri(label=account, issuer=issuer).encode()


def uri_code(uri, time):
    need(time is not None)
    return TOTP.from_uri(uri).generate(time).token


def timed(window, totp=TOTP(b"12345678901234567890", "raw")):
    def verify():
        with suppress(TokenError):
            return totp.match("000001", 1111111109, 30 * window)
    return verify


serve("passlib " + version("passlib"), {
    "totp": lambda *key: totp_of(*key[:5]).generate(key[5]).token, "verify-totp": verify_totp, "uri-parse": uri_parse,
    "uri-code": uri_code, "uri-build": uri_build, "base32": lambda text: TOTP(text).key, "time": timed,
    "base32-code": lambda *it: TOTP(it[3], digits=it[1], alg=it[0].lower()).generate(30 * it[2]).token,
}, (ValueError, TypeError))
