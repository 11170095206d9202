"""Valid URIs, as issuers and apps write them; a row is the URI, the key and a comment."""

from __future__ import annotations

from ..hmac_rfc2104 import ALGORITHMS, SHA1, SHA256, SHA512
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


def filled_raw(start: str, character: str, length: int) -> str:
    """`start`, filled up with an unescaped character until its escaped form has `length` bytes."""
    escaped_size = 3 * len(character.encode())
    count, rest = divmod(length - len(start), escaped_size)
    return start + "a" * rest + character * count


def labelled(label: str, issuer: str | None, account: str, comment: str) -> ValidRow:
    """A label and its meaning, in a URI without an issuer parameter."""
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
    (filled_raw(BASE + "&image=", "\u00e9", MAX_LENGTH), key(), "2,048 bytes once the raw e with accent is escaped"),
    (filled_raw(BASE + "&image=", "\U0001f511", MAX_LENGTH), key(), "2,048 bytes once the raw emoji are escaped"),
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
    labelled("ACME:dept/alice", "ACME", "dept/alice", "a literal slash in the account"),
    labelled("ACME/EU:alice", "ACME/EU", "alice", "a literal slash in the issuer"),
    labelled("/alice", None, "/alice", "a literal slash in front"),
    labelled("alice/", None, "alice/", "a literal slash at the end"),
    labelled("/", None, "/", "a literal slash alone"),
    labelled("a/../b/./c", None, "a/../b/./c", "what looks like path steps stays"),
    labelled("ACME:alice%00", "ACME", "alice\0", "an escaped NUL at the end of the account"),
    labelled("ACME:al%00ice", "ACME", "al\0ice", "an escaped NUL in the account"),
    labelled("%00", None, "\0", "an escaped NUL alone"),
    labelled("AC%00ME:alice", "AC\0ME", "alice", "an escaped NUL in the issuer"),
    labelled("ACME:alice%0D%0A", "ACME", "alice\r\n", "an escaped line break"),
]

RAW: list[ValidRow] = [
    labelled("ACME Co:alice smith", "ACME Co", "alice smith", "spaces in the label"),
    labelled("ACME: alice", "ACME", "alice", "a space before the account"),
    labelled("ACME: %20 alice", "ACME", "alice", "spaces before the account, one of them escaped"),
    labelled(" alice", None, "alice", "a space before an account without issuer"),
    labelled("ACME:alice ", "ACME", "alice ", "a space after the account stays"),
    labelled("ACME :alice", "ACME ", "alice", "a space after the issuer stays"),
    labelled("Caf\u00e9:Jos\u00e9", "Caf\u00e9", "Jos\u00e9", "e with acute accent, one code point"),
    labelled("Cafe\u0301:Jose\u0301", "Cafe\u0301", "Jose\u0301", "two code points: not normalised"),
    labelled("Caf\u00e9:Jos%C3%A9", "Caf\u00e9", "Jos\u00e9", "one as it is, one escaped"),
    labelled("\U0001f511:\U0001f600", "\U0001f511", "\U0001f600", "emoji"),
    labelled("\u05d7\u05d1\u05e8\u05d4:\u05d3\u05d5\u05d3", "\u05d7\u05d1\u05e8\u05d4", "\u05d3\u05d5\u05d3",
             "right-to-left text"),
    labelled("a\uff1ab", None, "a\uff1ab", "a full-width colon is not a colon"),
    labelled("ACME:\u00a0alice", "ACME", "\u00a0alice", "a no-break space before the account stays"),
    labelled("ACME:\u0301alice", "ACME", "\u0301alice", "a colon before a combining accent"),
    labelled("ACME%3A\u0301alice", "ACME", "\u0301alice", "an escaped colon, its last digit before a combining accent"),
    labelled("%41\u0301lice", None, "A\u0301lice", "an escape before a combining accent"),
    labelled("\u0301alice", None, "\u0301alice", "the slash before the label has a combining accent"),
    labelled("a\u0085b\u2028c", None, "a\u0085b\u2028c", "line breaks outside ASCII"),
    labelled("\ufeffalice\uffff\U0010ffff", None, "\ufeffalice\uffff\U0010ffff",
             "byte order mark, a noncharacter and the last code point"),
    two_issuers(f"{BASE}&issuer=ACME Co", "ACME Co", None, "a space in the issuer parameter"),
    two_issuers(f"{BASE}&issuer= ACME ", " ACME ", None, "spaces around the issuer parameter stay"),
    two_issuers(f"{BASE}&issuer=Caf\u00e9", "Caf\u00e9", None, "the issuer parameter outside ASCII"),
    two_issuers(f"{BASE}&issuer=\u0301A", "\u0301A", None, "an equals sign before a combining accent"),
    (f"{BASE} ", key(), "a space after the secret, at the end of the URI"),
    ("otpauth://totp/alice?secret=GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ", key(), "a secret in groups"),
    ("otpauth://totp/alice?secret=MZXW6 ===", key(secret=b"foo"), "a space before the padding"),
    (f"{BASE}&image=caf\u00e9 \U0001f511", key(), "an unknown parameter"),
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
    two_issuers(f"{BASE}&issuer=A:B", "A:B", None, "a literal colon"),
    two_issuers(f"{BASE}&issuer=A%3AB", "A:B", None, "an escaped colon"),
    two_issuers(f"{BASE}&issuer=:", ":", None, "a colon alone"),
    two_issuers(f"{ACME}&issuer=A:B:C", "A:B:C", "ACME", "two colons, beside the label's issuer"),
    two_issuers(f"{BASE}&issuer=A%00B", "A\0B", None, "an escaped NUL"),
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
    ("otpauth://totp/alice?secret=MZXW6%3D-%3D%3D%20", key(secret=b"foo"), "separators inside and after the padding"),
    ("otpauth://totp/alice?secret=M7", key(secret=b"\x67"), "unused bits that are not zero"),
    ("otpauth://totp/alice?secret=AA", key(secret=b"\0"), "one zero byte"),
    ("otpauth://totp/alice?secret=%4DZXW6", key(secret=b"foo"), "a letter escaped without need"),
    ("otpauth://totp/alice?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA&algorithm=SHA256",
     key(secret=SEED_32, algorithm=SHA256), "32 bytes"),
]

ALGORITHM_NAMES: list[ValidRow] = [
    (f"{BASE}&algorithm={name}", key(algorithm=algorithm), name)
    for algorithm in ALGORITHMS
    for hmac in ("", "HMAC", "HMAC-")
    for sha in ("SHA", "SHA-")
    for spelling in (hmac + algorithm.name.replace("SHA", sha),)
    for name in (spelling, spelling.lower(), spelling.capitalize())
] + [
    (f"{BASE}&algorithm=HmacSHA1", key(), "HmacSHA1"),
    (f"{BASE}&algorithm=HmacSHA256", key(algorithm=SHA256), "HmacSHA256"),
    (f"{BASE}&algorithm=HmacSHA512", key(algorithm=SHA512), "HmacSHA512"),
    (f"{BASE}&algorithm=hMAC-sHa-512", key(algorithm=SHA512), "hMAC-sHa-512"),
    (f"{BASE}&algorithm=SHA%2D256", key(algorithm=SHA256), "an escaped hyphen"),
    (f"{BASE}&algorithm=%53HA512", key(algorithm=SHA512), "an escaped letter"),
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
    (f"{BASE}&digits=06", key(), "digits with a leading zero"),
    (f"{BASE}&digits=0008", key(digits=8), "digits with three leading zeros"),
    (f"{BASE}&period=030", key(), "period with a leading zero"),
    (f"{BASE}&period=010", key(period=10), "a leading zero does not mean octal"),
    (f"{BASE}&period={INT64_MAX:040}", key(period=INT64_MAX), "period 2^63-1 in 40 digits"),
    (f"{HOTP_BASE}&counter=007", hotp_key(7), "counter with leading zeros"),
    (f"{HOTP_BASE}&counter=00", hotp_key(0), "counter 0 in two digits"),
    (f"{HOTP_BASE}&counter=0100", hotp_key(100), "counter with a leading zero, not octal"),
    (f"{HOTP_BASE}&counter={MAX_COUNTER:040}", hotp_key(MAX_COUNTER), "counter 2^64-1 in 40 digits"),
    (f"{HOTP_BASE}&counter={1:0400}", hotp_key(1), "counter 1 in 400 digits"),
]

OTHER_KIND: list[ValidRow] = [
    *((f"{HOTP_BASE}&counter=5&period={period}", hotp_key(5), f"period={period} in an HOTP URI")
      for period in (1, 30, "060", INT64_MAX)),
    (f"otpauth://hotp/alice?PERIOD=60&{QUERY}&counter=5", hotp_key(5), "period in upper case, before the secret"),
    (f"{HOTP_BASE}&counter=5&peri%6Fd=%360", hotp_key(5), "period with escapes in its name and value"),
    *((f"{BASE}&counter={counter}", key(), f"counter={counter} in a TOTP URI")
      for counter in (0, 1, "007", 2**63, MAX_COUNTER)),
    (f"otpauth://totp/alice?COUNTER=5&{QUERY}&period=60", key(period=60), "counter in upper case, before the secret"),
    (f"{BASE}&c%6Funter=%35", key(), "counter with escapes in its name and value"),
]

EMPTY_SEGMENTS: list[ValidRow] = [
    (f"{BASE}&", key(), "an ampersand at the end"),
    (f"{BASE}&&&", key(), "three ampersands at the end"),
    (f"otpauth://totp/alice?&{QUERY}", key(), "an ampersand in front"),
    (f"otpauth://totp/alice?&&{QUERY}", key(), "two ampersands in front"),
    (f"{BASE}&&issuer=ACME&&&digits=8&", KeyURI(issuer="ACME", digits=8), "ampersands between parameters"),
    (f"otpauth://hotp/alice?&{QUERY}&&counter=7&", hotp_key(7), "HOTP"),
]

ESCAPED_NAMES: list[ValidRow] = [
    (f"otpauth://totp/alice?s%65cret={SECRET}", key(), "secret"),
    (f"otpauth://totp/alice?%73%65%63%72%65%74={SECRET}", key(), "secret, every letter"),
    (f"otpauth://totp/alice?S%45CRET={SECRET}", key(), "secret in upper case"),
    (f"otpauth://totp/alice?%53ecret={SECRET}", key(), "secret in mixed case"),
    (f"{BASE}&%69ssuer=ACME", KeyURI(issuer="ACME"), "issuer"),
    (f"{BASE}&algorith%6d=SHA256", key(algorithm=SHA256), "algorithm, lower-case hex"),
    (f"{BASE}&digit%73=8", key(digits=8), "digits"),
    (f"{BASE}&p%65riod=60", key(period=60), "period"),
    (f"{HOTP_BASE}&%63ounter=7", hotp_key(7), "counter"),
    (f"{BASE}&d%2569gits=8", key(), "names are decoded once: an unknown parameter"),
    (f"{BASE}&digits%3D8=x", key(), "an escaped equals sign is part of the name"),
    (f"{BASE}&digits%3D8", key(), "an escaped equals sign does not end the name"),
    (f"{BASE}&image%26digits=8", key(), "an escaped ampersand is part of the name"),
    (f"{BASE}&image=x%26digits=8", key(), "an escaped ampersand is part of the value"),
    (f"{BASE}&digits%00=8", key(), "a known name and an escaped NUL is another name"),
    (f"{BASE}&i%C5%BFsuer=x", key(), "a long s, S in upper case, makes another name"),
    (f"{BASE}&d%C4%B1gits=8", key(), "a dotless i, I in upper case, makes another name"),
    (f"{BASE}&%CC%81digits=8", key(), "a combining accent in front makes another name"),
    (f"{BASE}&digits%CC%81=8", key(), "a combining accent behind makes another name"),
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
    (f"{BASE}&caf%C3%A9=%F0%9F%94%91", key(), "name and value outside ASCII, escaped"),
    (f"{BASE}&image=%00%0A", key(), "escaped control characters in the value"),
    (f"{BASE}&image==", key(), "an equals sign as the value"),
    (f"{BASE}&%20=x", key(), "an escaped space as the name"),
]

ROWS: dict[str, list[ValidRow]] = {
    "scheme, type, names and order": FRAMES,
    "labels": LABELS,
    "raw spaces, and raw characters outside ASCII": RAW,
    "issuers": ISSUERS,
    "secrets": SECRETS,
    "algorithm names": ALGORITHM_NAMES,
    "numbers": NUMBERS,
    "a parameter of the other type of key": OTHER_KIND,
    "empty segments between parameters": EMPTY_SEGMENTS,
    "escapes in parameter names": ESCAPED_NAMES,
    "unknown parameters": UNKNOWN,
}
