"""What follows from a test's inputs, by the reference: codes, outcomes, what is read. Its author states the rest."""

from __future__ import annotations

from base64 import b32decode

from . import base32, key_uri, sealed_record
from .document import Fields, Group, ensure, number
from .hmac_rfc2104 import ALGORITHMS, Algorithm, hmac
from .otp import MAX_COUNTER, HotpKey, TotpKey
from .record import Policy, Record
from .verification import verify_hotp, verify_totp

REASONS = {
    "base32-wrong-lengths": {"length"}, "base32-wrong-padding": {"padding", "length"},
    "base32-wrong-separated-padding": {"padding"}, "base32-wrong-ascii": {"symbol"},
    "base32-wrong-unicode": {"symbol", "padding"}, "base32-wrong-places": {"symbol"},
    "base32-strict-symbols": {"symbol"}, "base32-strict-padding": {"padding", "length"},
    "base32-strict-trailing-bits": {"trailing bits"},
    "uri-wrong-frame": {"scheme", "type", "user", "port", "fragment", "length"},
    "uri-control-characters": {"control character"}, "uri-wrong-labels": {"account"},
    "uri-bad-escapes": {"label", "issuer", "secret", "digits", "algorithm"},
    "uri-bad-unknown-parameters": {"parameter"}, "uri-percent-algorithms": {"algorithm"},
    "uri-wrong-secrets": {"secret"}, "uri-duplicates": {f"{name} twice" for name in key_uri.PARAMETERS},
    "uri-other-type-duplicates": {"period twice", "counter twice"}, "uri-wrong-algorithms": {"algorithm"},
    "uri-wrong-digits": {"digits"}, "uri-wrong-periods": {"period"}, "uri-wrong-counters": {"counter"},
    "uri-wrong-hotp-periods": {"period"}, "uri-wrong-totp-counters": {"counter"},
}
"""Why the texts of a group are refused: for another reason, a test would not be about what its group is about."""


def derived(group: Group, test: Fields) -> Fields:
    """The fields of a test that the reference determines. `result` is never `acceptable` here."""
    match group.type:
        case "hmac":
            right = hmac(algorithm_of(group.header), _bytes(test, "keyHex"), _bytes(test, "messageHex"))
            return {"result": "valid" if right.startswith(_bytes(test, "tagHex")) else "invalid"}
        case "hotp":
            key, at = hotp_key(group), number(test["counter"])
            return {"hmacHex": key.hmac(at).hex(), "truncated": key.truncated(at), "code": key.code(at)}
        case "totp":
            step = totp_key(group).step(number(test["time"]))
            return {"step": str(step), "code": hotp_key(group).code(step)}
        case "verify-totp":
            return _of_window(totp_key(group), test)
        case "verify-hotp":
            verdict = verify_hotp(hotp_key(group), test["code"], number(test["counter"]), test["lookAhead"])
            matched: Fields = {} if verdict.moving_factor is None else {"matched": str(verdict.moving_factor)}
            return {"result": verdict.result} | matched
        case "record-totp" | "record-hotp":
            return {"steps": _answers(group, test)}
        case "record-format":
            return _sealed(group, test)
        case "uri-build" | "uri-round-trip":
            return _written(group, test)
        case _:
            return _read(group, test)


def algorithm_of(fields: Fields) -> Algorithm:
    """The hash that a group or a key names."""
    return next(algorithm for algorithm in ALGORITHMS if algorithm.name == fields["algorithm"])


def hotp_key(group: Group) -> HotpKey:
    """The key of a group."""
    return HotpKey(_bytes(group.header, "secretHex"), algorithm_of(group.header), number(group.header["digits"]))


def totp_key(group: Group) -> TotpKey:
    """The key of a group, with its steps."""
    return TotpKey(hotp_key(group), number(group.header["period"]), number(group.header["t0"]))


def _bytes(fields: Fields, name: str) -> bytes:
    return bytes.fromhex(str(fields[name]))


def _of_window(key: TotpKey, test: Fields) -> Fields:
    """Of two steps with the same code RFC 6238 does not say which one counts (`otherStep`)."""
    time, behind, ahead = (number(test[name]) for name in ("time", "behind", "ahead"))
    after = None if test["after"] is None else number(test["after"])
    verdict = verify_totp(key, str(test["code"]), time, behind, ahead, after)
    if verdict.moving_factor is None:
        return {"result": verdict.result}
    fields: Fields = {"result": verdict.result, "step": str(verdict.moving_factor), "offset": verdict.offset}
    others = steps_of_code(key, test) - {verdict.moving_factor}
    return fields | ({"otherStep": str(min(others))} if others and after not in others else {})


def steps_of_code(key: TotpKey, test: Fields) -> set[int]:
    """The steps of a window that have a test's code."""
    step = key.step(number(test["time"]))
    reach = range(max(0, step - number(test["behind"])), min(MAX_COUNTER, step + number(test["ahead"])) + 1)
    return {place for place in reach if key.hotp.code(place) == test["code"]}


def _answers(group: Group, test: Fields) -> list[Fields]:
    header = group.header
    is_timed = group.type == "record-totp"
    policy = Policy(
        header["failuresUntilLock"], header["lockSeconds"], header["firstDelayedFailure"],
        header["initialDelaySeconds"], header.get("window", 0), header.get("lookAhead", 0),
        header.get("resynchronizationLookAhead", 0))
    last = None if test["last"] is None else number(test["last"])
    record = Record(totp_key(group) if is_timed else hotp_key(group), policy, last)
    steps: list[Fields] = []
    for step in test["steps"]:
        time, codes = number(step["time"]), step["codes"]
        steps.append({"time": str(time), "codes": codes}
                     | (record.submit(time, codes) if codes else record.unlock(time)))
    return steps


def _sealed(group: Group, test: Fields) -> Fields:
    """The bytes of a record, which reads back; or why bytes are refused."""
    keys = {key["name"]: _bytes(key, "keyHex") for key in group.header["keys"]}
    subject = _bytes(test, "subjectHex")
    if "record" not in test:
        try:
            sealed_record.open_sealed(_bytes(test, "sealedHex"), subject, keys)
        except sealed_record.RecordError as error:
            return {"result": "invalid", "error": str(error)}
        return {"result": "valid"}
    record = test["record"]
    for code in record.get("recoveryCodes", ()):
        tag = sealed_record.recovery_code_tag(_bytes(code, "codeHex")).hex()
        ensure(code["tagHex"] == tag, f"{group.id}: the hash of {code} is {tag}")
    for former in record.get("spent", ()):
        found = sealed_record.fingerprint(algorithm_of(record), _bytes(former, "secretHex")).hex()
        ensure(former["fingerprintHex"] == found, f"{group.id}: the fingerprint of {former} is {found}")
    sealed = sealed_record.seal(record, subject, keys, test["keyName"], _bytes(test, "nonceHex"))
    again = sealed_record.open_sealed(sealed, subject, keys)
    # What is sealed of a recovery code is only its hash.
    plain = [{name: value for name, value in code.items() if name != "codeHex"}
             for code in record.get("recoveryCodes", ())]
    spent = [{name: value for name, value in former.items() if name != "secretHex"}
             for former in record.get("spent", ())]
    expected = record | ({"recoveryCodes": plain} if plain else {}) | ({"spent": spent} if spent else {})
    ensure(again == expected, f"{group.id}: {again} was {record}")
    return {"result": "valid", "plainHex": sealed_record.encode(record).hex(), "sealedHex": sealed.hex()}


def _read(group: Group, test: Fields) -> Fields:
    """What a text decodes to, or a URI describes, and its code; or that it is refused, for its group's reason."""
    try:
        if group.type == "base32":
            return {"result": "valid"} | _decoded(group, str(test["text"]))
        if group.type == "base32-code":
            secret = base32.decode(str(test["text"]))
            key = HotpKey(secret, algorithm_of(group.header), number(group.header["digits"]))
            return {"result": "valid", "code": key.code(number(test["counter"]))} if secret else {"result": "invalid"}
        uri = key_uri.parse(str(test["uri"]))
    except (base32.Base32Error, key_uri.KeyURIError) as error:
        reasons = REASONS.get(group.id, {str(error)})
        ensure(str(error) in reasons, f"{group.id}: {test} is refused for its {error}, not its {reasons}")
        return {"result": "invalid"}
    if group.type == "uri-parse":
        return {"result": "valid", "expect": _described(uri)}
    hotp = HotpKey(uri.secret, uri.algorithm, uri.digits)
    counter = uri.counter if test["time"] is None else TotpKey(hotp, uri.period or 30).step(number(test["time"]))
    return {"result": "valid", "code": hotp.code(counter or 0)}


def _decoded(group: Group, text: str) -> Fields:
    data = base32.decode_strict(text) if group.header["decoder"] == "strict" else base32.decode(text)
    canonical = base32.encode(data)
    padded = canonical + "=" * (-len(canonical) % 8)
    ensure(b32decode(padded) == data, f"base32 {text!r}: Python reads its canonical form differently")
    return {"hex": data.hex(), "canonical": canonical}


def _described(uri: key_uri.KeyURI) -> Fields:
    factor: Fields = {"counter": str(uri.counter)} if uri.type == "hotp" else {"period": str(uri.period)}
    return {"type": uri.type, "issuer": uri.issuer, "labelIssuer": uri.label_issuer, "account": uri.account,
            "secretHex": uri.secret.hex(), "algorithm": uri.algorithm.name, "digits": uri.digits} | factor


def _written(group: Group, test: Fields) -> Fields:
    """The URI of a key, which the reference reads back."""
    fields: Fields = test["key"]
    issuer = None if fields["issuer"] is None else str(fields["issuer"])
    key = key_uri.KeyURI(
        type=str(fields["type"]), issuer=issuer, label_issuer=issuer, account=str(fields["account"]),
        secret=_bytes(fields, "secretHex"), algorithm=algorithm_of(fields), digits=number(fields["digits"]),
        period=number(fields["period"]) if "period" in fields else None,
        counter=number(fields["counter"]) if "counter" in fields else None)
    uri = key_uri.build(key)
    ensure(key_uri.parse(uri) == key, f"{uri} reads back as another key")
    return {"uri": uri} if group.type == "uri-build" else {}
