"""Which tests the standards leave open: refusing is then right, and so is our own reading.

The rules lean towards `acceptable`. A row stays `valid` or `invalid` only if a sentence of its reference decides it.
"""

from __future__ import annotations

import re
import unicodedata

from . import base32
from .derived import hotp_key, steps_of_code, totp_key
from .document import Fields, Group, number

_PLAIN_NAME = "(?!%20|%C2%A0)(?:(?!%3A)[A-Za-z0-9._~@%-])+(?<!%20)"
_PLAIN_LABEL = re.compile(f"(?:{_PLAIN_NAME}(?::|%3A))?{_PLAIN_NAME}", re.IGNORECASE)
_PLAIN_QUERY = re.compile("[a-z]+=[A-Za-z0-9._~%-]+(?:&[a-z]+=[A-Za-z0-9._~%-]+)*")
_NEEDLESS_ESCAPE = re.compile("%(0|1|7F|4[1-9A-F]|5[0-9A]|6[1-9A-F]|7[0-9A])", re.IGNORECASE)
"""Escapes of a control character, or of a character that needs no escape."""
_SYMBOLS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


def is_open(group: Group, test: Fields) -> bool:
    """Whether refusing and accepting both comply with the reference of `test`."""
    if group.type in ("base32", "base32-code"):
        return _is_open_base32(group, test)
    if group.type in ("uri-parse", "uri-code"):
        is_read = test["result"] == "valid"
        return not (_is_plain(test) if is_read else refuses_by_the_text(str(test["uri"])))
    if group.type in ("verify-totp", "verify-hotp") and test["result"] == "rejected":
        return _is_disguised(group, test)
    # Once the digits have been accepted, by RFC 6238's letter they may be refused whatever their step.
    return (group.type == "verify-totp" and test["result"] == "accepted" and test["after"] is not None
            and number(test["after"]) in steps_of_code(totp_key(group), test))


def _is_open_base32(group: Group, test: Fields) -> bool:
    text = str(test["text"])
    if group.header.get("decoder") == "strict":
        # RFC 4648, section 3.5: a decoder MAY reject bits that reach no byte.
        return test["result"] == "invalid" and _has_trailing_bits(text)
    if test["result"] == "invalid":
        return not _has_foreign_symbol(text)
    padding_is_open = group.type == "base32"  # a key URI's secret should come without, an RFC 4648 text with
    whole = text.rstrip("=")
    is_padded = len(text) % 8 == 0 if padding_is_open or text != whole else True
    return not (is_padded and _is_strict(whole))


def _has_trailing_bits(text: str) -> bool:
    try:
        base32.decode_strict(text)
    except base32.Base32Error as error:
        return str(error) == "trailing bits"
    return False


def _has_foreign_symbol(text: str) -> bool:
    """RFC 4648, section 3.3: characters outside the alphabet MUST be rejected.

    Case, white space, hyphens, padding, and 0 and 1 (which RFC 3548 lets a reader take for O and L) stay open.
    """
    return any(character not in _SYMBOLS + _SYMBOLS.lower() + "01=- \t\n\r\v\f" for character in text)


def _is_plain(test: Fields) -> bool:
    """Whether a URI contains only what the Key URI format describes, and neither of the drafts contradicts it.

    Spaces before the account *may* be there, and no text says that a reader drops them; a draft forbids padding.
    """
    match = re.fullmatch(r"otpauth://(totp|hotp)/([^?]*)\?(.*)", str(test["uri"]))
    if match is None or not _PLAIN_LABEL.fullmatch(match[2]) or not _PLAIN_QUERY.fullmatch(match[3]):
        return False
    fields = dict(part.split("=", 1) for part in match[3].split("&"))
    expect = test.get("expect", {})
    issuer, label_issuer = (expect.get(name) for name in ("issuer", "labelIssuer"))
    other = "period" if match[1] == "hotp" else "counter"
    return (set(fields) <= {"secret", "issuer", "algorithm", "digits", "period", "counter"} - {other}
            and (issuer == label_issuer or label_issuer is None)
            and fields.get("algorithm", "SHA1") in ("SHA1", "SHA256", "SHA512")
            and fields.get("digits", "6") in ("6", "8")
            and re.fullmatch("0|[1-9][0-9]{0,9}", fields.get("period", "30")) is not None
            and re.fullmatch("0|[1-9][0-9]*", fields.get("counter", "0")) is not None
            and not re.search("%3A", fields.get("issuer", ""), re.IGNORECASE)
            and not _NEEDLESS_ESCAPE.search(match[2] + fields.get("issuer", ""))
            and _is_strict(fields["secret"]))


def _is_strict(secret: str) -> bool:
    """Whether a secret is strict base32, apart from its padding."""
    try:
        base32.decode_strict(secret + "=" * (-len(secret) % 8))
    except base32.Base32Error:
        return False
    return True


def refuses_by_the_text(uri: str) -> bool:
    """Whether the Key URI format itself rules the URI out, for its scheme, type, secret or counter."""
    match = re.fullmatch(r"([A-Za-z-]+)://([a-z0-9]*)(?:/[^?]*)?(?:\?(.*))?", uri, re.DOTALL)
    if match is None or match[2] == "steam" or re.search("[\x00-\x1f\x7f]", uri):
        return False
    if match[1].lower() != "otpauth" or match[2] not in ("totp", "hotp"):
        return True
    if re.search("[%#]", match[3] or ""):
        return False
    parts = [part.partition("=") for part in (match[3] or "").split("&")]
    names = [name.lower() for name, _, _ in parts]
    if len(names) != len(set(names)):
        return False
    fields = {name.lower(): value for name, _, value in parts}
    secret = fields.get("secret", "")
    without_secret = not secret.strip("= -") or _has_foreign_symbol(secret)
    return without_secret or (match[2] == "hotp" and "counter" not in fields)


def _is_disguised(group: Group, test: Fields) -> bool:
    """Whether a submission is a right code with decoration, which a program may remove before it verifies."""
    code = str(test["code"])
    digits = "".join(str(unicodedata.digit(character)) for character in code
                     if unicodedata.digit(character, None) is not None)
    if digits == code or len(digits) != number(group.header["digits"]):
        return False
    hotp = hotp_key(group)
    if group.type == "verify-hotp":
        first = number(test["counter"])
        return any(hotp.code(first + place) == digits for place in range(number(test["lookAhead"]) + 1))
    return bool(steps_of_code(totp_key(group), test | {"code": digits}))
