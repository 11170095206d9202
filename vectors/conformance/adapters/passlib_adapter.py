"""passlib's TOTP, on PyPI"""

import warnings

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
        return f"accepted {match.counter}"
    except UsedTokenError:
        return "replayed"
    except TokenError:
        return "rejected"


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


def base32_code(algorithm, digits, counter, text):
    return TOTP(text, digits=digits, alg=algorithm.lower()).generate(30 * counter).token


serve("passlib", {
    "totp": lambda *key: totp_of(*key[:5]).generate(key[5]).token, "verify-totp": verify_totp, "uri-parse": uri_parse,
    "uri-code": uri_code, "uri-build": uri_build, "base32": lambda text: TOTP(text).key, "base32-code": base32_code,
}, (ValueError, TypeError))
