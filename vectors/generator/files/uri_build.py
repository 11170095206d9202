"""Keys and the one URI that each of them is written as."""

from __future__ import annotations

from ..document import Fields, Group, VectorFile
from ..errors import ensure
from ..hmac_rfc2104 import SHA256, SHA512
from ..key_uri import KeyURI, ensure_reads_back, parse
from ..key_uri import build as build_uri
from ..otp import INT64_MAX, MAX_COUNTER, SEED_32, SEED_64

SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"


def key(account: str = "alice", issuer: str | None = None, **fields: object) -> KeyURI:
    """A TOTP key whose label and parameter name the same issuer."""
    return KeyURI(issuer=issuer, label_issuer=issuer, account=account, **fields)  # type: ignore[arg-type]


def hotp_key(counter: int, account: str = "alice", issuer: str | None = None, **fields: object) -> KeyURI:
    """A HOTP key whose label and parameter name the same issuer."""
    return key(account, issuer, type="hotp", period=None, counter=counter, **fields)


PRINTABLE = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) != ":")
UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"

PARAMETER_KEYS = [
    (key(), "no issuer, all defaults"),
    (key("alice@example.com", "Example"), "issuer, all defaults"),
    (key(issuer="Example", algorithm=SHA256, secret=SEED_32), "SHA-256"),
    (key(issuer="Example", algorithm=SHA512, secret=SEED_64), "SHA-512"),
    (key(issuer="Example", digits=7), "seven digits"),
    (key(issuer="Example", digits=8), "eight digits"),
    (key(issuer="Example", period=60), "period 60"),
    (key(issuer="Example", period=1), "period 1"),
    (key(issuer="Example", period=INT64_MAX), "period 2^63-1"),
    (key(issuer="Example", algorithm=SHA256, digits=8, period=60), "nothing default"),
    (key(algorithm=SHA512, digits=8), "no issuer, nothing default but the period"),
    (hotp_key(0), "HOTP: a counter of 0 is written"),
    (hotp_key(5, "alice@example.com", "Example"), "HOTP, counter 5"),
    (hotp_key(2**53 + 1, issuer="Example"), "HOTP, counter 2^53+1"),
    (hotp_key(2**63, issuer="Example"), "HOTP, counter 2^63"),
    (hotp_key(MAX_COUNTER, issuer="Example"), "HOTP, counter 2^64-1"),
    (hotp_key(0, issuer="Example", algorithm=SHA512, digits=8), "HOTP, SHA-512, eight digits"),
    (hotp_key(30, issuer="Example", digits=7), "HOTP, counter 30: not taken for the default period"),
    (key(secret=b"\x00"), "a secret of one zero byte"),
    (key(secret=b"\xff" * 3), "a secret of three bytes: padding left out"),
    (key(secret=bytes(range(256))[-64:]), "a secret of 64 high bytes"),
    (key(secret=b"\x00" * 20), "a secret of zero bytes"),
]

TEXT_KEYS = [
    (key("alice smith", "ACME Co"), "spaces are %20, never a plus sign"),
    (key("alice+otp@example.com", "A+B"), "plus signs"),
    (key("100%", "50% off"), "percent signs"),
    (key("alice%20smith", "ACME%3ACo"), "text that looks percent-encoded is encoded again"),
    (key("R&D", "Smith & Sons"), "ampersands"),
    (key("room#5", "C#"), "number signs"),
    (key("who?", "What?"), "question marks"),
    (key("dept/alice", "ACME/EU"), "slashes"),
    (key("@alice", "@work"), "at signs"),
    (key("a=b", "x=y"), "equals signs"),
    (key("a;b,c", "x;y,z"), "semicolons and commas"),
    (key("o'neil", "\"Q\""), "quotes"),
    (key("CORP\\alice", "back\\slash"), "backslashes"),
    (key("<b>", "{x}|[y]^`z`"), "angle brackets, braces, brackets, bar, caret, backtick"),
    (key("!$()*", "!$()*"), "reserved characters that some encoders leave"),
    (key(UNRESERVED, UNRESERVED), "every unreserved character, unescaped"),
    (key(PRINTABLE.strip(), PRINTABLE.strip()), "every printable ASCII character but the colon"),
    (key(".."), "an account that looks like a path step"),
    (key("alice", "."), "an issuer that looks like a path step"),
    (key("0"), "an account of one digit"),
    (key("alice ", "Example"), "a space at the end of the account"),
    (key("Jos\u00e9", "Caf\u00e9"), "e with acute accent, one code point"),
    (key("Jose\u0301", "Cafe\u0301"), "e with acute accent, two code points: not normalised"),
    (key("\u0301alice", "\u0301Example"), "a combining accent at the start"),
    (key("Z\u0351\u036ba\u0343l\u0364g\u0307o\u0489"), "many combining marks"),
    (key("\u212bngstr\u00f6m", "\u2126hm"), "Angstrom and Ohm signs: not normalised"),
    (key("\U0001f600", "\U0001f511 Keys"), "emoji"),
    (key("\U0001f469\u200d\U0001f4bb", "\U0001f1ea\U0001f1fa"), "emoji of several code points"),
    (key("\u05d3\u05d5\u05d3", "\u05d7\u05d1\u05e8\u05d4"), "right-to-left text, Hebrew"),
    (key("\u0623\u062d\u0645\u062f", "\u0634\u0631\u0643\u0629 ACME"), "right-to-left text, Arabic beside Latin"),
    (key("alice\u202egro.elpmaxe", "Example"), "a right-to-left override"),
    (key("\u5c71\u7530\u592a\u90ce", "\u682a\u5f0f\u4f1a\u793e"), "Japanese"),
    (key("\u0130\u0131\u00df\ufb01", "STRASSE \u1e9e"), "letters whose case changes their length"),
    (key("a\uff1ab", "x\uff1ay"), "a full-width colon is not a colon"),
    (key("a\u00a0b", "x\u2003y"), "no-break and em spaces"),
    (key("\U0010ffff", "\ufffd"), "the last code point, and the replacement character"),
    (key("\u007f\u0080", "\u07ff\u0800\uffff\U00010000"), "the ends of the UTF-8 lengths"),
    (hotp_key(7, "alice smith+1", "ACME & Co"), "HOTP with characters to escape"),
    (key("alice", "issuer=Evil&digits=8"), "an issuer that looks like parameters"),
    (key("alice?secret=AAAA#x", "Example"), "an account that looks like a query and a fragment"),
]

LITERAL_URIS = {
    "no issuer, all defaults": f"otpauth://totp/alice?secret={SECRET}",
    "issuer, all defaults": f"otpauth://totp/Example:alice%40example.com?secret={SECRET}&issuer=Example",
    "HOTP, counter 5": f"otpauth://hotp/Example:alice%40example.com?secret={SECRET}&issuer=Example&counter=5",
    "HOTP, SHA-512, eight digits":
        f"otpauth://hotp/Example:alice?secret={SECRET}&issuer=Example&algorithm=SHA512&digits=8&counter=0",
    "spaces are %20, never a plus sign": f"otpauth://totp/ACME%20Co:alice%20smith?secret={SECRET}&issuer=ACME%20Co",
    "e with acute accent, one code point": f"otpauth://totp/Caf%C3%A9:Jos%C3%A9?secret={SECRET}&issuer=Caf%C3%A9",
}
"""Some URIs typed in by hand: what the builder must come to."""


def uri_fields(value: KeyURI) -> Fields:
    """A key's fields as `uri-build` and `uri-parse` tests write them."""
    fields: Fields = {
        "type": value.type,
        "issuer": value.issuer,
        "account": value.account,
        "secretHex": value.secret.hex(),
        "algorithm": value.algorithm.name,
        "digits": value.digits,
    }
    return fields | ({"counter": str(value.counter)} if value.type == "hotp" else {"period": str(value.period)})


def build() -> VectorFile:
    """Our own form: the parameters in one group, the texts in another."""
    parameters = Group("uri-build", comment="which parameters are written, and in which order")
    texts = Group("uri-build", comment="what is percent-encoded in issuer and account")
    for group, keys in ((parameters, PARAMETER_KEYS), (texts, TEXT_KEYS)):
        for value, comment in keys:
            uri = build_uri(value)
            ensure(LITERAL_URIS.get(comment, uri) == uri, f"uri-build, {comment}: built {uri}")
            ensure_reads_back(uri, value)
            ensure(parse(uri) == value, f"uri-build, {comment}: parses back as {parse(uri)}")
            group.add({"key": uri_fields(value), "uri": uri}, comment)
    return VectorFile("uri-build.json", "swift-otp: otpauth:// URIs as this engine writes them (RFC 3986 section 2)",
                      [parameters, texts])


def build_round_trip() -> VectorFile:
    """The same keys, in whatever form they are written: reading it gives them back."""
    groups = []
    for comment, keys in (("parameters", PARAMETER_KEYS), ("characters that must be escaped", TEXT_KEYS)):
        group = Group("uri-round-trip", comment=comment)
        for value, name in keys:
            group.add({"key": uri_fields(value)}, name)
        groups.append(group)
    return VectorFile("uri-round-trip.json", "swift-otp: otpauth:// URIs, written and read back", groups)
