"""From what a user has, a secret in base32 or a key URI, to a code in one step: the way that every program goes."""

from __future__ import annotations

from .. import base32
from ..document import Group, VectorFile
from ..errors import ensure
from ..hmac_rfc2104 import SHA1, SHA256, SHA512, Algorithm
from ..key_uri import KeyURIError, parse
from ..key_uri import build as build_uri
from ..otp import SEED_20, SEED_32, SEED_64, HotpKey, TotpKey
from .uri_build import hotp_key, key

COUNTER = 1
TIME = 1234567890


def pattern(length: int) -> bytes:
    """Bytes in which no block of a hash equals another."""
    return bytes((place * 151 + length) % 256 for place in range(length))


def build() -> VectorFile:
    """Base32 in four groups, URIs in three."""
    groups = [_base32("upper case, no padding", [(base32.encode(pattern(size)), f"{size} bytes")
                                                 for size in (1, 2, 3, 4, 5, 10, 16, 20, 32, 61, 62, 63, 64, 65, 128)]),
              _padded(), _lenient(), _refused(), _totp(), _hotp(), _refused_uris()]
    return VectorFile("secret-to-code.json", "swift-otp: from base32 and from a URI to a code", groups)


def _base32(comment: str, rows: list[tuple[str, str]], algorithm: Algorithm = SHA1) -> Group:
    group = Group("base32-code", {"algorithm": algorithm.name, "digits": 6}, comment)
    for text, name in rows:
        code = HotpKey(base32.decode(text), algorithm).code(COUNTER)
        group.add({"text": text, "counter": str(COUNTER), "code": code, "result": "valid"}, name)
    return group


def _padded() -> Group:
    texts = [(base32.encode(pattern(size)), size) for size in (1, 2, 3, 4, 16, 20, 32, 61, 62, 63, 64, 66, 99, 128)]
    return _base32("upper case, padded: 61 bytes and more fill a buffer that counts symbols as bytes",
                   [(text + "=" * (-len(text) % 8), f"{size} bytes") for text, size in texts if len(text) % 8])


def _lenient() -> Group:
    text = base32.encode(SEED_20)
    return _base32("as people write it", [
        (text.lower(), "lower case"), (" ".join(text[place:place + 4] for place in range(0, 32, 4)), "groups of four"),
        ("-".join(text[place:place + 4].lower() for place in range(0, 32, 4)), "groups of four, lower case, hyphens"),
        ("mzxw6===", "lower case, padded"), ("M7", "unused bits that are not zero"),
    ])


def _refused() -> Group:
    group = Group("base32-code", {"algorithm": "SHA1", "digits": 6}, "no secret: an error, and never a code")
    for text, name in (("", "empty"), ("MZXW6YT8", "an eight"), ("MZXW6YT9", "a nine"), ("MZXW6YT!", "not a symbol"),
                       ("MZXW6YT\u0131", "a dotless i"), ("!", "nothing else"), ("A", "one symbol"),
                       ("=", "padding alone")):
        group.add({"text": text, "counter": str(COUNTER), "result": "invalid"}, name)
    return group


def _totp() -> Group:
    group = Group("uri-code", comment="the code of a time")
    for value, name in (
        (key(), "all defaults"), (key("alice@example.com", "Example"), "an issuer"),
        (key(issuer="Example", algorithm=SHA256, secret=SEED_32), "SHA-256"),
        (key(issuer="Example", algorithm=SHA512, secret=SEED_64), "SHA-512"), (key(digits=8), "eight digits"),
        (key(period=60), "period 60"), (key(algorithm=SHA256, secret=SEED_32, digits=8, period=15), "nothing default"),
        (key(secret=pattern(63)), "63 bytes, padding left out"), (key(secret=b"\0"), "one zero byte"),
    ):
        uri = build_uri(value)
        ensure(parse(uri) == value, f"uri-code, {name}: parses back as {parse(uri)}")
        totp = TotpKey(HotpKey(value.secret, value.algorithm, value.digits), value.period or 30)
        code = totp.hotp.code(totp.step(TIME))
        group.add({"uri": uri, "time": str(TIME), "code": code, "result": "valid"}, name)
    return group


def _hotp() -> Group:
    group = Group("uri-code", comment="the code of the URI's counter")
    for value, name in (
        (hotp_key(0), "counter 0"), (hotp_key(5, "alice@example.com", "Example"), "counter 5"),
        (hotp_key(10281), "counter 10281: a zero in front"), (hotp_key(2**32 + 1), "counter 2^32+1"),
        (hotp_key(7, algorithm=SHA256, secret=SEED_32, digits=8), "SHA-256, eight digits"),
    ):
        uri = build_uri(value)
        code = HotpKey(value.secret, value.algorithm, value.digits).code(value.counter or 0)
        group.add({"uri": uri, "time": None, "code": code, "result": "valid"}, name)
    return group


def _refused_uris() -> Group:
    group = Group("uri-code", comment="no key: an error, and never a code")
    secret = base32.encode(SEED_20)
    for uri, part, name in (
        ("otpauth://", "type", "nothing but a scheme"), ("otpauth://totp", "account", "nothing but a type"),
        ("otpauth://totp/alice", "secret", "no parameters"),
        ("otpauth://totp/alice?secret=", "secret", "an empty secret"),
        ("otpauth://totp/alice?issuer=Example", "secret", "no secret"),
        (f"otpauth://hotp/alice?secret={secret}", "counter", "HOTP without its counter"),
        (f"otpauth://none/alice?secret={secret}", "type", "an unknown type"),
        (f"https://totp/alice?secret={secret}", "scheme", "another scheme"),
        (f"otpauth://totp/alice?secret={secret}&digits=0", "digits", "no digits"),
        (f"otpauth://totp/alice?secret={secret}&digits=100", "digits", "a hundred digits"),
        (f"otpauth://totp/alice?secret={secret}&period=0", "period", "a period of 0"),
    ):
        try:
            parse(uri)
        except KeyURIError as error:
            ensure(error.part == part, f"uri-code, {name}: refused for its {error.part}, not its {part}")
            time = None if uri.startswith("otpauth://hotp") else str(TIME)
            group.add({"uri": uri, "time": time, "result": "invalid"}, name)
        else:
            ensure(False, f"uri-code, {name}: not refused")
    return group
