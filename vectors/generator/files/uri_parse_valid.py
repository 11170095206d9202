"""URIs that state a key, as issuers and apps write them; a row is the URI, the key and what it is about."""

from __future__ import annotations

from ..hmac_rfc2104 import SHA1, SHA256, SHA512
from ..key_uri import MAX_LENGTH, KeyURI
from ..otp import INT64_MAX, MAX_COUNTER, SEED_32
from .uri_build import SECRET, hotp_key, key

ValidRow = tuple[str, KeyURI, str]

QUERY = f"secret={SECRET}"
BASE = f"otpauth://totp/alice?{QUERY}"
HOTP_BASE = f"otpauth://hotp/alice?{QUERY}"
ACME = f"otpauth://totp/ACME:alice?{QUERY}"


def filled(start: str, length: int) -> str:
    """`start`, filled up to `length` bytes with the letter a."""
    return start + "a" * (length - len(start))


def labelled(label: str, issuer: str | None, account: str, comment: str) -> ValidRow:
    """A label and what it says, in a URI without an issuer parameter."""
    return f"otpauth://totp/{label}?{QUERY}", key(account, issuer), comment


def two_issuers(uri: str, issuer: str | None, label_issuer: str | None, comment: str) -> ValidRow:
    """A URI for alice whose issuer parameter and label may differ."""
    return uri, KeyURI(issuer=issuer, label_issuer=label_issuer), comment


FRAMES: list[ValidRow] = [
    (f"OTPAUTH://totp/alice?{QUERY}", key(), "scheme in upper case"),
    (f"OtpAuth://totp/alice?{QUERY}", key(), "scheme in mixed case"),
    (f"otpauth://TOTP/alice?{QUERY}", key(), "type in upper case"),
    (f"otpauth://ToTp/alice?{QUERY}", key(), "type in mixed case"),
    (f"otpauth://HOTP/alice?{QUERY}&counter=1", hotp_key(1), "HOTP in upper case"),
    (f"otpauth://totp/alice?SECRET={SECRET}&Issuer=ACME&ALGORITHM=SHA256&Digits=8&PERIOD=60",
     KeyURI(issuer="ACME", algorithm=SHA256, digits=8, period=60), "parameter names in any case"),
    (f"otpauth://hotp/alice?{QUERY}&Counter=7", hotp_key(7), "counter in mixed case"),
    (f"otpauth://totp/alice?period=60&digits=8&algorithm=SHA512&issuer=ACME&{QUERY}",
     KeyURI(issuer="ACME", algorithm=SHA512, digits=8, period=60), "parameters in another order"),
    (f"otpauth://hotp/alice?counter=7&{QUERY}", hotp_key(7), "counter before the secret"),
    (filled(BASE + "&image=", MAX_LENGTH), key(), "2,048 bytes, filled by an unknown parameter"),
    (f"otpauth://totp/{'a' * (MAX_LENGTH - len(BASE) + len('alice'))}?{QUERY}",
     key("a" * (MAX_LENGTH - len(BASE) + len("alice"))), "2,048 bytes, filled by the account"),
]

LABELS: list[ValidRow] = [
    labelled("alice", None, "alice", "account alone"),
    labelled("alice@example.com", None, "alice@example.com", "a literal at sign"),
    labelled("alice%40example.com", None, "alice@example.com", "an escaped at sign"),
    labelled("ACME:alice", "ACME", "alice", "a literal colon"),
    labelled("ACME%3Aalice", "ACME", "alice", "an escaped colon"),
    labelled("ACME%3aalice", "ACME", "alice", "an escaped colon, lower-case hex"),
    labelled("ACME:%20alice", "ACME", "alice", "a space before the account"),
    labelled("ACME%3A%20alice", "ACME", "alice", "an escaped colon, a space before the account"),
    labelled("ACME:%20%20%20alice", "ACME", "alice", "three spaces before the account"),
    labelled("%20alice", None, "alice", "a space before an account without issuer"),
    labelled("ACME:alice%20", "ACME", "alice ", "a space after the account stays"),
    labelled("ACME%20:alice", "ACME ", "alice", "a space after the issuer stays"),
    labelled("ACME:%C2%A0alice", "ACME", "\u00a0alice", "a no-break space before the account stays"),
    labelled("ACME:%09alice", "ACME", "\talice", "a tab before the account stays"),
    labelled("ACME%20Co:alice%20smith", "ACME Co", "alice smith", "spaces inside"),
    labelled("A%3AB:alice", "A:B", "alice", "a literal colon counts, an escaped one before it does not"),
    labelled("ACME%253Aalice", None, "ACME%3Aalice", "a colon escaped twice is text"),
    labelled("ACME:a%253Ab", "ACME", "a%3Ab", "a colon escaped twice in the account is text"),
    labelled("ACME:alice%2Fadmin", "ACME", "alice/admin", "an escaped slash"),
    labelled("alice+otp", None, "alice+otp", "a literal plus sign is a plus sign"),
    labelled("alice%2Botp", None, "alice+otp", "an escaped plus sign"),
    labelled("%61lice", None, "alice", "a letter escaped without need"),
    labelled("caf%c3%a9:jos%C3%A9", "caf\u00e9", "jos\u00e9", "hex digits in either case"),
    labelled("%F0%9F%94%91:%F0%9F%98%80", "\U0001f511", "\U0001f600", "emoji"),
    labelled("a%EF%BC%9Ab", None, "a\uff1ab", "a full-width colon is not a colon"),
    labelled("ACME:%CC%81alice", "ACME", "\u0301alice", "a colon is a colon before a combining accent too"),
    labelled("ACME%3A%CC%81alice", "ACME", "\u0301alice", "an escaped colon before a combining accent"),
    labelled(":alice", None, "alice", "an empty issuer counts as none"),
    labelled("%3Aalice", None, "alice", "an empty issuer before an escaped colon"),
]

ISSUERS: list[ValidRow] = [
    two_issuers(BASE, None, None, "no issuer at all"),
    two_issuers(ACME, "ACME", "ACME", "in the label alone"),
    two_issuers(f"{BASE}&issuer=ACME", "ACME", None, "in the parameter alone"),
    two_issuers(f"{ACME}&issuer=ACME", "ACME", "ACME", "in both, the same"),
    two_issuers(f"{ACME}&issuer=Other", "Other", "ACME", "in both, different: the parameter is the issuer"),
    two_issuers(f"{ACME}&issuer=acme", "acme", "ACME", "in both, different in case"),
    two_issuers(f"otpauth://totp/Caf%C3%A9:alice?{QUERY}&issuer=Cafe%CC%81", "Cafe\u0301", "Caf\u00e9",
                "in both, different in normalisation"),
    two_issuers(f"{BASE}&issuer=", None, None, "an empty parameter counts as none"),
    two_issuers(f"{ACME}&issuer=", "ACME", "ACME", "an empty parameter beside the label's"),
    two_issuers(f"otpauth://totp/:alice?{QUERY}&issuer=ACME", "ACME", None, "an empty label issuer, and a parameter"),
    two_issuers(f"otpauth://totp/:alice?{QUERY}&issuer=", None, None, "both empty"),
    two_issuers(f"{BASE}&issuer=A+B", "A+B", None, "a literal plus sign is a plus sign, not a space"),
    two_issuers(f"{BASE}&issuer=A%2BB", "A+B", None, "an escaped plus sign"),
    two_issuers(f"{BASE}&issuer=ACME%20Co", "ACME Co", None, "an escaped space"),
    two_issuers(f"{BASE}&issuer=A%26B%3DC%23D", "A&B=C#D", None, "escaped delimiters"),
    two_issuers(f"{BASE}&issuer=A=B", "A=B", None, "an equals sign inside the value"),
    two_issuers(f"{BASE}&issuer=A/B?C@D", "A/B?C@D", None, "delimiters that a query may hold as they are"),
    two_issuers(f"{BASE}&issuer=100%2525", "100%25", None, "escapes are decoded once"),
]

SECRETS: list[ValidRow] = [
    (f"otpauth://totp/alice?secret={SECRET.lower()}", key(), "lower case"),
    ("otpauth://totp/alice?secret=gezd%20gnbv%20gy3t%20qojq%20gezd%20gnbv%20gy3t%20qojq", key(),
     "lower case in groups, escaped spaces"),
    ("otpauth://totp/alice?secret=GEZD-GNBV-GY3T-QOJQ-GEZD-GNBV-GY3T-QOJQ", key(), "groups with hyphens"),
    ("otpauth://totp/alice?secret=MZXW6%3D%3D%3D", key(secret=b"foo"), "escaped padding"),
    ("otpauth://totp/alice?secret=MZXW6%3d%3d%3d", key(secret=b"foo"), "escaped padding, lower-case hex"),
    ("otpauth://totp/alice?secret=MZXW6===", key(secret=b"foo"), "literal padding"),
    ("otpauth://totp/alice?secret=MZXW6===&issuer=ACME", KeyURI(issuer="ACME", secret=b"foo"),
     "literal padding before another parameter"),
    ("otpauth://totp/alice?secret=mzxw%206%3D%3D%3D", key(secret=b"foo"), "lower case, space and padding at once"),
    ("otpauth://totp/alice?secret=MZXW6", key(secret=b"foo"), "partial group without padding"),
    ("otpauth://totp/alice?secret=M7", key(secret=b"\x67"), "unused bits that are not zero"),
    ("otpauth://totp/alice?secret=AA", key(secret=b"\0"), "one zero byte"),
    ("otpauth://totp/alice?secret=%4DZXW6", key(secret=b"foo"), "a letter escaped without need"),
    ("otpauth://totp/alice?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA&algorithm=SHA256",
     key(secret=SEED_32, algorithm=SHA256), "32 bytes"),
]

ALGORITHMS: list[ValidRow] = [
    (f"{BASE}&algorithm={name}", key(algorithm=algorithm), name)
    for algorithm, names in {
        SHA1: ("SHA1", "sha1", "Sha1", "SHA-1", "sha-1", "HMACSHA1", "HmacSHA1", "hmacsha1"),
        SHA256: ("SHA256", "sha256", "SHA-256", "sha-256", "HMACSHA256", "HmacSHA256", "hmacsha256"),
        SHA512: ("SHA512", "sha512", "SHA-512", "sha-512", "HMACSHA512", "HmacSHA512", "hmacsha512"),
    }.items()
    for name in names
]

NUMBERS: list[ValidRow] = [
    *((f"{BASE}&digits={digits}", key(digits=digits), f"digits {digits}") for digits in (6, 7, 8)),
    (f"{BASE}&digits=%38", key(digits=8), "an escaped digit"),
    *((f"{BASE}&period={period}", key(period=period), f"period {period}") for period in (1, 15, 30, 60, 86400)),
    (f"{BASE}&period={INT64_MAX}", key(period=INT64_MAX), "period 2^63-1"),
    *((f"{HOTP_BASE}&counter={counter}", hotp_key(counter), f"counter {counter}") for counter in (0, 1, 1000)),
    (f"{HOTP_BASE}&counter={2**53 + 1}", hotp_key(2**53 + 1), "counter 2^53+1"),
    (f"{HOTP_BASE}&counter={2**63}", hotp_key(2**63), "counter 2^63"),
    (f"{HOTP_BASE}&counter={MAX_COUNTER}", hotp_key(MAX_COUNTER), "counter 2^64-1"),
    (f"otpauth://hotp/ACME:alice?{QUERY}&issuer=ACME&algorithm=SHA512&digits=8&counter=3",
     hotp_key(3, issuer="ACME", algorithm=SHA512, digits=8), "HOTP with every parameter"),
]

UNKNOWN: list[ValidRow] = [
    (f"{BASE}&image=https%3A%2F%2Fexample.com%2Flogo.png", key(), "image, escaped"),
    (f"{BASE}&image=https://example.com/logo.png", key(), "image, its colon and slashes as they are"),
    (f"{BASE}&color=ff0000&icon=key", key(), "two unknown ones"),
    (f"otpauth://totp/alice?color=ff0000&{QUERY}", key(), "before the secret"),
    (f"{BASE}&color", key(), "without an equals sign"),
    (f"{BASE}&color=", key(), "without a value"),
    (f"{BASE}&color=red&color=blue", key(), "an unknown one twice"),
    (f"{BASE}&secrets=x&digit=9&issuers=y", key(), "names that only begin like known ones"),
    (f"{BASE}&xdigits=9", key(), "a name that only ends like a known one"),
    (f"{BASE}&digits%20=9", key(), "a known name and an escaped space is another name"),
]

ROWS: dict[str, list[ValidRow]] = {
    "scheme, type, names and order": FRAMES,
    "labels": LABELS,
    "issuers": ISSUERS,
    "secrets": SECRETS,
    "algorithm names": ALGORITHMS,
    "numbers": NUMBERS,
    "unknown parameters": UNKNOWN,
}
