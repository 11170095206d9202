"""pyotp, on PyPI"""

import pyotp
from adapter import DIGESTS, base32, hotp_by, need, serve, verdict


def totp_of(algorithm, digits, period, t0, secret):
    need(t0 == 0)
    return pyotp.TOTP(base32(secret), digits=digits, digest=DIGESTS[algorithm], interval=period)


def hotp_of(algorithm, digits, text):
    return pyotp.HOTP(text, digits=digits, digest=DIGESTS[algorithm])


def verify_totp(algorithm, digits, period, t0, secret, code, time, behind, ahead, after):
    need(behind == ahead and after is None)
    totp = totp_of(algorithm, digits, period, t0, secret)
    return verdict(totp.verify(code, for_time=time, valid_window=behind))


def verify_hotp(algorithm, digits, secret, code, counter, look_ahead):
    need(look_ahead == 0)
    return verdict(hotp_of(algorithm, digits, base32(secret)).verify(code, counter), counter)


def uri_parse(uri):
    key = pyotp.parse_uri(uri)
    fields = {"type": "hotp" if isinstance(key, pyotp.HOTP) else "totp", "issuer": key.issuer or None,
              "account": key.name, "secret": key.byte_secret(), "algorithm": key.digest().name.upper(),
              "digits": key.digits}
    return fields | ({"counter": key.initial_count} if fields["type"] == "hotp" else {"period": key.interval})


def uri_code(uri, time):
    key = pyotp.parse_uri(uri)
    return key.at(0) if isinstance(key, pyotp.HOTP) else key.at(time)


def uri_build(kind, issuer, account, secret, algorithm, digits, number):
    options = {"s": base32(secret), "digits": digits, "digest": DIGESTS[algorithm], "name": account, "issuer": issuer}
    if kind == "hotp":
        return pyotp.HOTP(initial_count=number, **options).provisioning_uri().encode()
    return pyotp.TOTP(interval=number, **options).provisioning_uri().encode()


def base32_code(algorithm, digits, counter, text):
    return hotp_of(algorithm, digits, text).at(counter)


serve("pyotp", {
    "totp": lambda *key: totp_of(*key[:5]).at(key[5]), "verify-totp": verify_totp, "verify-hotp": verify_hotp,
    "uri-parse": uri_parse, "uri-code": uri_code, "uri-build": uri_build,
    "hotp": hotp_by(base32_code), "base32-code": base32_code})
