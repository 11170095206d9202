"""onetimepass, on PyPI"""

import onetimepass
from adapter import DIGESTS, base32, hotp_by, need, serve, verdict


def base32_code(algorithm, digits, counter, text):
    return onetimepass.get_hotp(text, counter, True, digest_method=DIGESTS[algorithm], token_length=digits).decode()


def totp(algorithm, digits, period, t0, secret, time):
    need(t0 == 0)
    return onetimepass.get_totp(base32(secret), True, DIGESTS[algorithm], digits, period, time).decode()


def verify_totp(algorithm, digits, period, t0, secret, code, time, behind, ahead, after):
    need(t0 == 0 and behind == ahead and after is None)
    return verdict(onetimepass.valid_totp(code, base32(secret), DIGESTS[algorithm], digits, period, time, behind))


def verify_hotp(algorithm, digits, secret, code, counter, look_ahead):
    # `last` is the counter before the first one tried.
    found = onetimepass.valid_hotp(code, base32(secret), counter - 1, look_ahead + 1, DIGESTS[algorithm], digits)
    return verdict(found is not False, found)


serve("onetimepass", {
    "hotp": hotp_by(base32_code), "totp": totp, "base32-code": base32_code, "verify-totp": verify_totp,
    "verify-hotp": verify_hotp,
}, (ValueError, TypeError))
