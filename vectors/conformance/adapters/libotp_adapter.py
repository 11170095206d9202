"""libotp from Python (LibOTP/bindings/python)"""

from functools import partial

import otp
from adapter import serve

keyring = otp.Keyring.unsealed()
factor = {}
"""The sequence's record and its policy."""


def key_of(algorithm, secret):
    return otp.Key(secret, otp.Hash[algorithm])


def hotp(algorithm, digits, secret, counter):
    with key_of(algorithm, secret) as key:
        return key.hotp(counter, digits=digits)


def totp(algorithm, digits, period, t0, secret, time):
    with key_of(algorithm, secret) as key:
        return key.totp(time, digits=digits, period=period, t0=t0)


def outcome(match, separator):
    words = [match.result.name.lower(), *([match.step, match.offset] if match else [])]
    return separator.join(map(str, words))


def verify_totp(algorithm, digits, period, t0, secret, code, time, behind, ahead, after):
    request = {"code": code, "time": time, "behind": behind, "ahead": ahead, "after": after, "digits": digits,
               "period": period, "t0": t0}
    key = key_of(algorithm, secret)
    return outcome(key.verify_totp(**request), " ")


def verify_hotp(algorithm, digits, secret, code, counter, look_ahead):
    key = key_of(algorithm, secret)
    return outcome(key.verify_hotp(code, counter, digits=digits, look_ahead=look_ahead), " ")


def base32_code(algorithm, digits, counter, text):
    with otp.Key.from_base32(text, otp.Hash[algorithm]) as key:
        return key.hotp(counter, digits=digits)


def uri_parse(text):
    uri = otp.KeyURI.parse(text)
    fields = {"type": uri.type.name.lower(), "issuer": uri.issuer, "labelIssuer": uri.label_issuer,
              "account": uri.account, "secret": uri.secret, "algorithm": uri.hash.name, "digits": uri.digits}
    return fields | ({"counter": uri.counter} if uri.type == otp.KeyType.HOTP else {"period": uri.period})


def uri_build(kind, issuer, account, secret, algorithm, digits, number):
    factor = {"counter" if kind == "hotp" else "period": number}
    return otp.KeyURI(secret, account, issuer, otp.KeyType[kind.upper()], otp.Hash[algorithm], digits,
                      **factor).build().encode()


def begin(kind, algorithm, digits, secret, policy, limits, time, **enrollment):
    names = ("failures_until_lock", "lock_seconds", "first_delayed_failure", "initial_delay_seconds")
    factor["policy"] = otp.Policy(resynchronization_steps=0, **policy, **dict(zip(names, limits, strict=True)))
    factor["record"] = keyring.enroll("user 42", secret=secret, type=kind, hash=otp.Hash[algorithm], digits=digits,
                                      is_confirmed=True, time=time, **enrollment)
    return ""


def record_totp(algorithm, digits, period, t0, secret, window, *rest):
    *limits, last, time = rest
    policy = {"adjacent_steps": window, "drift_limit": 0}
    return begin(otp.KeyType.TOTP, algorithm, digits, secret, policy, limits, time, period=period, t0=t0, after=last)


def record_hotp(algorithm, digits, secret, look_ahead, resynchronization, *rest):
    *limits, last, time = rest
    policy = {"look_ahead": look_ahead, "resynchronization_look_ahead": resynchronization}
    return begin(otp.KeyType.HOTP, algorithm, digits, secret, policy, limits, time,
                 counter=0 if last is None else last + 1)


def submit(time, *codes):
    typed = {"time": time, "policy": factor["policy"]}
    if len(codes) == 1:
        answer = keyring.verify("user 42", factor["record"], codes[0], **typed)
    else:
        answer = keyring.resynchronize("user 42", factor["record"], list(codes), **typed)
    factor["record"] = answer.record
    match answer.kind:
        case otp.AnswerKind.ACCEPTED:
            return f"accepted {answer.step}"
        case otp.AnswerKind.WAIT | otp.AnswerKind.LOCKED:
            until = "-" if answer.until is None else int(answer.until.timestamp())
            return f"{answer.kind.name.lower()} {until}"
        case kind:
            return kind.name.lower()


def unlock(time):
    factor["record"] = keyring.unlock("user 42", factor["record"], time)
    return "unlocked"


serve("libotp", {
    "hotp": hotp, "totp": totp, "verify-totp": verify_totp, "verify-hotp": verify_hotp,
    "base32": otp.base32_decode, "strict-base32": partial(otp.base32_decode, strict=True),
    "base32-encode": lambda data: otp.base32_encode(data).encode(), "base32-code": base32_code,
    "uri-parse": uri_parse, "uri-build": uri_build, "record-totp": record_totp,
    "record-hotp": record_hotp, "submit": submit, "unlock": unlock}, (otp.InvalidInputError,), otp.version())
