"""The reference `otpauth://` builder and parser."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

from . import base32
from .hmac_rfc2104 import SHA1, SHA256, SHA512, Algorithm
from .otp import INT64_MAX, MAX_COUNTER

MAX_LENGTH = 2048
PARAMETERS = frozenset({"secret", "issuer", "algorithm", "digits", "period", "counter"})
_RESERVED = ":/?#[]@!$&'()*+,;="
_CONTROL_CHARACTER = re.compile("[\x00-\x1f\x7f]")
_ALGORITHM_NAME = re.compile("(?:HMAC-?)?SHA-?(1|256|512)", re.ASCII | re.IGNORECASE)


class KeyURIError(ValueError):
    """A text that is not a key URI; its text names the wrong part."""


@dataclass(frozen=True)
class KeyURI:
    """A key URI's content. `period` is set only for `totp`, and `counter` only for `hotp`."""

    type: str
    issuer: str | None
    label_issuer: str | None
    account: str
    secret: bytes
    algorithm: Algorithm
    digits: int
    period: int | None
    counter: int | None


def build(key: KeyURI) -> str:
    """The URI of `key`: only unreserved characters unescaped, defaults left out."""
    label = quote(key.account, safe="")
    parameters = [("secret", base32.encode(key.secret))]
    if key.issuer is not None:
        label = quote(key.issuer, safe="") + ":" + label
        parameters.append(("issuer", quote(key.issuer, safe="")))
    if key.algorithm is not SHA1:
        parameters.append(("algorithm", key.algorithm.name))
    if key.digits != 6:
        parameters.append(("digits", str(key.digits)))
    if key.type == "hotp":
        parameters.append(("counter", str(key.counter)))
    elif key.period != 30:
        parameters.append(("period", str(key.period)))
    return f"otpauth://{key.type}/{label}?" + "&".join(f"{name}={value}" for name, value in parameters)


def parse(uri: str) -> KeyURI:
    """The key in `uri`; raises `KeyURIError` with the first wrong part."""
    if len(quote(uri, safe=_RESERVED + "%")) > MAX_LENGTH:  # as if escaped
        raise KeyURIError("length")
    if _CONTROL_CHARACTER.search(uri):
        raise KeyURIError("control character")
    if "#" in uri:
        raise KeyURIError("fragment")
    scheme, separator, rest = uri.partition("://")
    if not separator or scheme.lower() != "otpauth":
        raise KeyURIError("scheme")
    head, _, query = rest.partition("?")
    authority, _, label = head.partition("/")
    kind = _parse_authority(authority)
    label_issuer, account = _parse_label(label)
    fields = _parse_query(query)
    period = _parse_number(fields, "period", 1, INT64_MAX, default=30)
    counter = _parse_number(fields, "counter", 0, MAX_COUNTER, default=0 if kind == "totp" else None)
    return KeyURI(
        type=kind, issuer=fields.get("issuer") or label_issuer, label_issuer=label_issuer, account=account,
        secret=_parse_secret(fields), algorithm=_parse_algorithm(fields),
        digits=_parse_number(fields, "digits", 6, 8, default=6),
        period=period if kind == "totp" else None, counter=counter if kind == "hotp" else None)


def _parse_authority(authority: str) -> str:
    if "@" in authority:
        raise KeyURIError("user")
    if ":" in authority:
        raise KeyURIError("port")
    if authority.lower() not in ("totp", "hotp"):
        raise KeyURIError("type")
    return authority.lower()


def _parse_label(label: str) -> tuple[str | None, str]:
    """The label's issuer and account, split at the first literal colon, else at the first escaped one."""
    parts = label.split(":", 1) if ":" in label else re.split("%3A", label, maxsplit=1, flags=re.IGNORECASE)
    decoded = [_decode_percent(part, "label") for part in parts]
    account = decoded[-1].lstrip(" ")
    if not account or ":" in account:
        raise KeyURIError("account")
    return (decoded[0] or None) if len(decoded) == 2 else None, account


def _parse_query(query: str) -> dict[str, str]:
    """The known parameters by lower-case name. The unknown ones must be well formed and are dropped."""
    fields: dict[str, str] = {}
    for parameter in filter(None, query.split("&")):
        name, _, value = parameter.partition("=")
        name = _decode_percent(name, "parameter").lower()
        if not name:
            raise KeyURIError("parameter")
        if name in fields:
            raise KeyURIError(f"{name} twice")
        value = _decode_percent(value, name if name in PARAMETERS else "parameter")
        if name in PARAMETERS:
            fields[name] = value
    return fields


def _parse_secret(fields: dict[str, str]) -> bytes:
    try:
        secret = base32.decode(fields.get("secret", ""))
    except base32.Base32Error as error:
        raise KeyURIError("secret") from error
    if not secret:
        raise KeyURIError("secret")
    return secret


def _parse_algorithm(fields: dict[str, str]) -> Algorithm:
    match = _ALGORITHM_NAME.fullmatch(fields.get("algorithm", "SHA1"))
    if match is None:
        raise KeyURIError("algorithm")
    return {"1": SHA1, "256": SHA256, "512": SHA512}[match[1]]


def _parse_number(fields: dict[str, str], name: str, least: int, most: int, *, default: int | None) -> int:
    """A plain decimal parameter in `least...most`; without a default it is required."""
    if name not in fields and default is not None:
        return default
    text = fields.get(name, "")
    if not re.fullmatch("[0-9]+", text) or not least <= int(text) <= most:
        raise KeyURIError(name)
    return int(text)


def _decode_percent(text: str, part: str) -> str:
    """Percent-decoded UTF-8; a plus sign stays a plus sign."""
    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise KeyURIError(part)
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError as error:
        raise KeyURIError(part) from error
