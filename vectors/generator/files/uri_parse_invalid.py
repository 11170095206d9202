"""URIs that state no key; a row is the URI, the part that is wrong with it and what it is about."""

from __future__ import annotations

from ..key_uri import MAX_LENGTH
from .uri_build import SECRET
from .uri_parse_valid import ACME, BASE, HOTP_BASE, QUERY, filled

InvalidRow = tuple[str, str, str]

BAD_ESCAPES = {
    "%": "a percent sign alone",
    "%4": "one hex digit",
    "%zz": "no hex digits",
    "%4g": "second hex digit wrong",
    "%g4": "first hex digit wrong",
    "%%41": "a percent sign before an escape",
    "%+1": "a plus sign for a hex digit",
    "%-1": "a minus sign for a hex digit",
    "%0x": "a hex prefix",
    "%u0041": "an escape of another standard",
}
BAD_UTF8 = {
    "%FF": "a byte that UTF-8 never uses",
    "%80": "a continuation byte alone",
    "%C3": "a sequence cut short",
    "%E2%82": "three-byte sequence cut short",
    "%F0%9F%94": "four-byte sequence cut short",
    "%C3A": "a sequence broken off by a letter",
    "%C0%80": "NUL, overlong",
    "%C1%81": "A, overlong",
    "%E0%80%AF": "slash, overlong in three bytes",
    "%ED%A0%80": "a surrogate",
    "%ED%A0%BD%ED%B8%80": "a surrogate pair",
    "%F4%90%80%80": "past the last code point",
    "%F8%88%80%80%80": "a five-byte sequence",
    "%E9": "e with acute accent in Latin-1",
}


def with_parameter(base: str, name: str, values: dict[str, str]) -> list[InvalidRow]:
    """One row for each value of a parameter that is wrong."""
    return [(f"{base}&{name}={value}", name, comment) for value, comment in values.items()]


FRAMES: list[InvalidRow] = [
    ("", "scheme", "empty"),
    ("otpauth", "scheme", "a word"),
    ("otpauth://", "type", "a scheme and nothing else"),
    (f"http://totp/alice?{QUERY}", "scheme", "another scheme"),
    (f"https://otpauth/totp/alice?{QUERY}", "scheme", "a web address"),
    (f"otpauths://totp/alice?{QUERY}", "scheme", "a letter too many"),
    (f"otpaut://totp/alice?{QUERY}", "scheme", "a letter missing"),
    (f"totp/alice?{QUERY}", "scheme", "no scheme"),
    (f"://totp/alice?{QUERY}", "scheme", "an empty scheme"),
    (f"otpauth:totp/alice?{QUERY}", "scheme", "no slashes"),
    (f"otpauth:/totp/alice?{QUERY}", "scheme", "one slash"),
    ("otpauth-migration://offline?data=CjEKFDEyMzQ1Njc4OTAxMjM0NTY3ODkw", "scheme", "the export format of an app"),
    (f"otpauth://steam/alice?{QUERY}", "type", "another type"),
    (f"otpauth:///alice?{QUERY}", "type", "an empty type"),
    (f"otpauth://totp2/alice?{QUERY}", "type", "a digit too many"),
    (f"otpauth://tot/alice?{QUERY}", "type", "a letter missing"),
    (f"otpauth://otp/alice?{QUERY}", "type", "neither of the two"),
    (f"otpauth:////totp/alice?{QUERY}", "type", "two slashes too many"),
    (f"otpauth://user@totp/alice?{QUERY}", "user", "user name"),
    (f"otpauth://user:password@totp/alice?{QUERY}", "user", "user name and password"),
    (f"otpauth://@totp/alice?{QUERY}", "user", "empty user name"),
    (f"otpauth://totp:443/alice?{QUERY}", "port", "port"),
    (f"otpauth://totp:/alice?{QUERY}", "port", "empty port"),
    (f"otpauth://hotp:1/alice?{QUERY}&counter=0", "port", "port on HOTP"),
    (f"{BASE}#fragment", "fragment", "fragment"),
    (f"{BASE}#", "fragment", "empty fragment"),
    (f"otpauth://totp/ali#ce?{QUERY}", "fragment", "number sign in the label"),
    (f"{BASE}&issuer=C#", "fragment", "number sign in a value"),
    (filled(f"{BASE}&image=", MAX_LENGTH + 1), "length", "2,049 bytes, filled by an unknown parameter"),
    (filled("otpauth://totp/", MAX_LENGTH - len(QUERY)) + f"?{QUERY}", "length", "2,049 bytes, filled by the account"),
    (filled(f"{BASE}&image=", MAX_LENGTH * 2), "length", "4,096 bytes"),
]

LABELS: list[InvalidRow] = [
    (f"otpauth://totp?{QUERY}", "account", "no label, no slash"),
    (f"otpauth://totp/?{QUERY}", "account", "no label"),
    (f"otpauth://totp/%20?{QUERY}", "account", "a space alone"),
    (f"otpauth://totp/:?{QUERY}", "account", "a colon alone"),
    (f"otpauth://totp/%3A?{QUERY}", "account", "an escaped colon alone"),
    (f"otpauth://totp/ACME:?{QUERY}", "account", "issuer without account"),
    (f"otpauth://totp/ACME%3A?{QUERY}", "account", "issuer and escaped colon without account"),
    (f"otpauth://totp/ACME:%20%20?{QUERY}", "account", "issuer and spaces without account"),
    (f"otpauth://totp/?{QUERY}&issuer=ACME", "account", "issuer parameter, no label"),
    (f"otpauth://totp/A:B:alice?{QUERY}", "account", "two literal colons"),
    (f"otpauth://totp/A:B%3Aalice?{QUERY}", "account", "a literal colon, then an escaped one"),
    (f"otpauth://totp/A%3AB%3Aalice?{QUERY}", "account", "two escaped colons"),
    (f"otpauth://totp/A%3aB%3Aalice?{QUERY}", "account", "two escaped colons, hex in either case"),
    (f"otpauth://totp/A::alice?{QUERY}", "account", "two colons in a row"),
    (f"otpauth://totp/A:%3Aalice?{QUERY}", "account", "a literal and an escaped colon in a row"),
    (f"otpauth://totp/A:b%3A%CC%81c?{QUERY}", "account", "the account's colon has a combining accent"),
    (f"otpauth://totp/A:b%3A?{QUERY}", "account", "the account ends in a colon"),
]

ESCAPES: list[InvalidRow] = [
    row
    for sequence, comment in (BAD_ESCAPES | BAD_UTF8).items()
    for row in (
        (f"otpauth://totp/alice{sequence}?{QUERY}", "label", f"in the account: {comment}"),
        (f"otpauth://totp/A{sequence}:alice?{QUERY}", "label", f"in the label's issuer: {comment}"),
        (f"{ACME}&issuer=A{sequence}", "issuer", f"in the issuer parameter: {comment}"),
    )
] + [
    (f"otpauth://totp/%C3:%A9?{QUERY}", "label", "a character divided between issuer and account"),
    (f"{BASE}%4", "secret", "in the secret: one hex digit"),
    (f"otpauth://totp/alice?secret=%FF{SECRET}", "secret", "in the secret: a byte that UTF-8 never uses"),
    (f"{BASE}&digits=%3", "digits", "in digits: one hex digit"),
    (f"{BASE}&algorithm=SHA1%", "algorithm", "in algorithm: a percent sign alone"),
]

SECRETS: list[InvalidRow] = [
    ("otpauth://totp/alice", "secret", "no query"),
    ("otpauth://totp/alice?", "secret", "empty query"),
    ("otpauth://totp/alice?issuer=ACME", "secret", "missing"),
    ("otpauth://totp/alice?secret", "secret", "no equals sign"),
    ("otpauth://totp/alice?secret=", "secret", "empty"),
    ("otpauth://totp/alice?secret=&issuer=ACME", "secret", "empty before another parameter"),
    ("otpauth://totp/alice?secret==", "secret", "padding alone: one"),
    ("otpauth://totp/alice?secret=%3D%3D%3D%3D%3D%3D%3D%3D", "secret", "padding alone: eight, escaped"),
    ("otpauth://totp/alice?secret=%20", "secret", "a space alone"),
    ("otpauth://totp/alice?secret=-", "secret", "a hyphen alone"),
    ("otpauth://totp/alice?secret=A", "secret", "one symbol"),
    ("otpauth://totp/alice?secret=ABC", "secret", "three symbols"),
    ("otpauth://totp/alice?secret=ABCDEF", "secret", "six symbols"),
    ("otpauth://totp/alice?secret=MZXW6=", "secret", "too little padding"),
    ("otpauth://totp/alice?secret=MZXW6%3D%3D%3D%3D", "secret", "too much padding"),
    ("otpauth://totp/alice?secret=MZ=XW6==", "secret", "padding in the middle"),
    ("otpauth://totp/alice?secret=MZXW6YT0", "secret", "a zero"),
    ("otpauth://totp/alice?secret=MZXW6YT1", "secret", "a one"),
    ("otpauth://totp/alice?secret=MZXW6YT8", "secret", "an eight"),
    ("otpauth://totp/alice?secret=MZXW6YT9", "secret", "a nine"),
    ("otpauth://totp/alice?secret=MZXW6YT!", "secret", "an exclamation mark"),
    ("otpauth://totp/alice?secret=MZXW+6YTB", "secret", "a plus sign is not a space"),
    ("otpauth://totp/alice?secret=MZXW%2B6YTB", "secret", "an escaped plus sign"),
    ("otpauth://totp/alice?secret=MZXW6YTB%0A", "secret", "an escaped newline"),
    ("otpauth://totp/alice?secret=MZXW6YTB%00", "secret", "an escaped NUL"),
    ("otpauth://totp/alice?secret=MZXW6YT%C5%BF", "secret", "a long s, S in upper case"),
    ("otpauth://totp/alice?secret=MZXW6YT%EF%BC%A1", "secret", "a full-width A"),
    ("otpauth://totp/alice?secret=3132333435363738393031323334353637383930", "secret", "hexadecimal"),
    ("otpauth://totp/alice?secret=MTIzNDU2Nzg5MDEyMzQ1Njc4OTA=", "secret", "base64"),
]

TWICE: list[InvalidRow] = [
    (f"{BASE}&{QUERY}", "secret twice", "secret, the same value"),
    (f"{BASE}&secret=MZXW6", "secret twice", "secret, another value"),
    (f"{BASE}&SECRET=MZXW6", "secret twice", "secret in another case"),
    (f"otpauth://totp/alice?secret=&{QUERY}", "secret twice", "secret, the first one empty"),
    (f"{BASE}&issuer=A&issuer=A", "issuer twice", "issuer, the same value"),
    (f"{BASE}&issuer=A&Issuer=B", "issuer twice", "issuer, another value and case"),
    (f"{BASE}&issuer=&issuer=A", "issuer twice", "issuer, the first one empty"),
    (f"{BASE}&algorithm=SHA1&algorithm=SHA256", "algorithm twice", "algorithm"),
    (f"{BASE}&algorithm=SHA1&Algorithm=SHA1", "algorithm twice", "algorithm, the same value in another case"),
    (f"{BASE}&digits=6&digits=8", "digits twice", "digits"),
    (f"{BASE}&digits=6&DIGITS=6", "digits twice", "digits, the same value in another case"),
    (f"{BASE}&period=30&period=60", "period twice", "period"),
    (f"{BASE}&period=30&image=x&Period=30", "period twice", "period, the same value, another parameter between"),
    (f"{HOTP_BASE}&counter=0&counter=1", "counter twice", "counter"),
    (f"{HOTP_BASE}&counter=1&COUNTER=1", "counter twice", "counter, the same value in another case"),
]

ALGORITHMS = with_parameter(BASE, "algorithm", {
    "": "empty",
    "MD5": "MD5",
    "HMACMD5": "HMACMD5",
    "SHA": "a family, not an algorithm",
    "SHA3": "SHA3",
    "SHA3-256": "SHA3-256",
    "SHA224": "SHA224",
    "SHA384": "SHA384",
    "SHA-384": "SHA-384",
    "SHA512%2F256": "SHA512/256",
    "SHA10": "begins like a known name",
    "SHA2": "begins like a known name, cut short",
    "SHA2566": "a known name and a digit",
    "SM3": "SM3",
    "none": "none",
    "%EF%BC%B3HA1": "a full-width S",
    "%C5%BFHA1": "a long s, S in upper case",
})

DIGITS = with_parameter(BASE, "digits", {
    "": "empty", "5": "5", "9": "9", "10": "10", "0": "0", "1": "1", "-6": "-6", "+6": "a literal plus sign",
    "%2B6": "an escaped plus sign", "%206": "a space in front", "6%20": "a space behind", "6.0": "6.0", "6.": "6.",
    "6,0": "6,0", "6e0": "6e0", "0x6": "0x6", "6x": "a letter behind", "x6": "a letter in front", "six": "a word",
    "%00": "NUL", "6%00": "NUL behind", "6%0A": "newline behind", "%EF%BC%96": "full-width 6",
    "%D9%A6": "Arabic-Indic 6", "%E2%85%A5": "Roman numeral six", "6%CC%81": "a combining accent", "6_": "underscore",
    "4294967302": "6 and 2^32", "18446744073709551622": "6 and 2^64", "262": "6 and 2^8",
})

PERIOD = with_parameter(BASE, "period", {
    "": "empty", "0": "0", "-0": "-0", "-1": "-1", "-30": "-30", "+30": "a plus sign", "30.5": "30.5", "30.0": "30.0",
    "30s": "a unit", "3e1": "3e1", "0x1e": "0x1e", "%2030": "a space in front", "1,000": "a thousands separator",
    "1_000": "an underscore", "%EF%BC%93%EF%BC%90": "full-width 30", "NaN": "NaN", "inf": "inf",
    "9223372036854775808": "2^63", "18446744073709551615": "2^64-1", "18446744073709551646": "30 and 2^64",
    "99999999999999999999999999999999999999": "38 digits",
})

COUNTER = [(HOTP_BASE, "counter", "missing")] + with_parameter(HOTP_BASE, "counter", {
    "": "empty", "-1": "-1", "-0": "-0", "+1": "a plus sign", "1.0": "1.0", "1e3": "1e3", "0x10": "0x10",
    "%201": "a space in front", "1%20": "a space behind", "1_000": "an underscore", "abc": "a word",
    "%D9%A1": "Arabic-Indic 1", "18446744073709551616": "2^64", "18446744073709551617": "2^64+1",
    "-18446744073709551615": "1-2^64", "340282366920938463463374607431768211456": "2^128",
}) + [(f"{HOTP_BASE}&counters=1", "counter", "only a name that begins like it")]

ROWS: dict[str, list[InvalidRow]] = {
    "not an otpauth URI, or one with parts that it must not have": FRAMES,
    "labels without an account, or with a colon too many": LABELS,
    "bad percent escapes and bad UTF-8": ESCAPES,
    "secrets": SECRETS,
    "a known parameter twice": TWICE,
    "algorithm": ALGORITHMS,
    "digits": DIGITS,
    "period": PERIOD,
    "counter of an HOTP key": COUNTER,
}
