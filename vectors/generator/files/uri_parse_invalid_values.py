"""URIs invalid in a known parameter; a row is the URI, the parameter and a comment."""

from __future__ import annotations

from .uri_build import SECRET
from .uri_parse_valid import BASE, HOTP_BASE, QUERY

InvalidRow = tuple[str, str, str]


def with_parameter(base: str, name: str, values: dict[str, str]) -> list[InvalidRow]:
    """One row for each wrong value of a parameter."""
    return [(f"{base}&{name}={value}", name, comment) for value, comment in values.items()]


SECRETS: list[InvalidRow] = [
    ("otpauth://totp/alice", "secret", "no query"),
    ("otpauth://totp/alice?", "secret", "empty query"),
    ("otpauth://totp/alice?&&", "secret", "ampersands alone"),
    ("otpauth://totp/alice?issuer=ACME", "secret", "missing"),
    (f"otpauth://totp/alice?s%2565cret={SECRET}", "secret", "missing: names are decoded once"),
    (f"otpauth://totp/alice?%C5%BFecret={SECRET}", "secret", "missing: a long s, S in upper case, is another letter"),
    (f"otpauth://totp/alice?secret%3D{SECRET}", "secret", "missing: an escaped equals sign is part of the name"),
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
    ("otpauth://totp/alice?secret=MZXW6%3D%20%3D", "secret", "too little padding, a space inside"),
    ("otpauth://totp/alice?secret=MZXW6%3D%3D%3D%20A", "secret", "a symbol behind padding and space"),
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
    ("otpauth://totp/alice?secret=MZXW6YT\uff21", "secret", "a full-width A, not escaped"),
    ("otpauth://totp/alice?secret=MZXW6YTB\u0301", "secret", "a combining accent on the last symbol, not escaped"),
    ("otpauth://totp/alice?secret=\u0301MZXW6YTB", "secret", "a combining accent on the equals sign, not escaped"),
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
    (f"{BASE}&s%65cret={SECRET}", "secret twice", "secret, the second name with an escape"),
    (f"otpauth://totp/alice?%73ecret={SECRET}&{QUERY}", "secret twice", "secret, the first name with an escape"),
    (f"otpauth://totp/alice?%73ecret={SECRET}&s%65cret={SECRET}", "secret twice", "secret, both names with escapes"),
    (f"{BASE}&issuer=A&%49ssuer=B", "issuer twice", "issuer, an escape and another case"),
    (f"{BASE}&algorithm=SHA1&algorith%6D=SHA1", "algorithm twice", "algorithm, the second name with an escape"),
    (f"{BASE}&digits=6&d%69gits=6", "digits twice", "digits, the second name with an escape"),
    (f"{BASE}&period=30&&peri%6Fd=30&", "period twice", "period, an escape and empty segments"),
    (f"{HOTP_BASE}&c%6Funter=0&counter=0", "counter twice", "counter, the first name with an escape"),
]

OTHER_KIND_TWICE: list[InvalidRow] = [
    (f"{HOTP_BASE}&counter=0&period=30&period=30", "period twice", "period in an HOTP URI, the same value"),
    (f"{HOTP_BASE}&period=30&counter=0&Period=60", "period twice", "period in an HOTP URI, another value and case"),
    (f"{HOTP_BASE}&counter=0&period=30&p%65riod=30", "period twice", "period in an HOTP URI, one with an escape"),
    (f"{BASE}&counter=1&counter=1", "counter twice", "counter in a TOTP URI, the same value"),
    (f"{BASE}&counter=1&COUNTER=2", "counter twice", "counter in a TOTP URI, another value and case"),
    (f"{BASE}&counter=1&%63ounter=1", "counter twice", "counter in a TOTP URI, one with an escape"),
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
    "SHA_1": "SHA_1",
    "SHA%201": "SHA 1, escaped",
    "SHA 1": "SHA 1",
    "SHA+1": "SHA+1",
    "HMAC_SHA1": "HMAC_SHA1",
    "HMAC%20SHA1": "HMAC SHA1",
    "HMAC-SHA_256": "HMAC-SHA_256",
    "SHA01": "SHA01",
    "SHA-01": "SHA-01",
    "SHA0256": "SHA0256",
    "SHA-2": "SHA-2",
    "SHA-224": "SHA-224",
    "SHA512/256": "SHA512/256, a raw slash",
    "SHA512-256": "SHA512-256",
    "SHA-512%2F256": "SHA-512/256",
    "HMACSHA384": "HMACSHA384",
    "HMAC-SHA224": "HMAC-SHA224",
    "HS1": "HS1",
    "HS256": "HS256",
    "HS512": "HS512",
    "SHA-": "SHA-",
    "HMAC": "HMAC",
    "HMAC-": "HMAC-",
    "HMACSHA": "HMACSHA",
    "HMAC1": "HMAC1",
    "HMAC-256": "HMAC-256",
    "1": "1",
    "256": "256",
    "-SHA1": "a hyphen in front",
    "SHA1-": "a hyphen behind",
    "SHA--1": "two hyphens",
    "HMAC--SHA1": "two hyphens after HMAC",
    "H-MACSHA1": "a hyphen inside HMAC",
    "S-HA1": "a hyphen inside SHA",
    "SHA2-56": "a hyphen inside the number",
    "HMACHMACSHA1": "HMAC twice",
    "SHASHA1": "SHA twice",
    "SHA1SHA1": "a name twice",
    "SHA1HMAC": "the wrong way round",
    "SHA1,SHA256": "two names",
    "%20SHA1": "an escaped space in front",
    "SHA1%20": "an escaped space behind",
    " SHA1": "a space in front",
    "SHA1 ": "a space behind",
    "SHA1%00": "NUL behind",
    "SHA1%0A": "newline behind",
    "SHA%E2%80%901": "a hyphen outside ASCII",
    "SHA%EF%BC%91": "a full-width 1",
    "SHA\uff11": "a full-width 1, not escaped",
    "\u017fha1": "a long s, not escaped",
    "SHA1\u0301": "a combining accent on the last digit",
    "%EF%BC%B3HA1": "a full-width S",
    "%C5%BFHA1": "a long s, S in upper case",
})

DIGITS = with_parameter(BASE, "digits", {
    "": "empty", "5": "5", "9": "9", "10": "10", "0": "0", "1": "1", "-6": "-6", "+6": "a literal plus sign",
    "%2B6": "an escaped plus sign", "%206": "a space in front", "6%20": "a space behind", "6.0": "6.0", "6.": "6.",
    "6,0": "6,0", "6e0": "6e0", "0x6": "0x6", "6x": "a letter behind", "x6": "a letter in front", "six": "a word",
    "%00": "NUL", "6%00": "NUL behind", "6%0A": "newline behind", "%EF%BC%96": "full-width 6",
    "%D9%A6": "Arabic-Indic 6", "%E2%85%A5": "Roman numeral six", "6%CC%81": "a combining accent", "6_": "underscore",
    "6 ": "a raw space behind", " 6": "a raw space in front", "\uff16": "full-width 6, not escaped",
    "6\u0301": "a combining accent, not escaped", "00": "00", "05": "5 with a leading zero",
    "09": "9 with a leading zero", "010": "10, which is 8 in octal", "-06": "-6 with a leading zero",
    "4294967302": "6 and 2^32", "18446744073709551622": "6 and 2^64", "262": "6 and 2^8",
})

PERIOD = with_parameter(BASE, "period", {
    "": "empty", "0": "0", "-0": "-0", "-1": "-1", "-30": "-30", "+30": "a plus sign", "30.5": "30.5", "30.0": "30.0",
    "30s": "a unit", "3e1": "3e1", "0x1e": "0x1e", "%2030": "a space in front", "1,000": "a thousands separator",
    "1_000": "an underscore", "%EF%BC%93%EF%BC%90": "full-width 30", "NaN": "NaN", "inf": "inf",
    "9223372036854775808": "2^63", "18446744073709551615": "2^64-1", "18446744073709551646": "30 and 2^64",
    "99999999999999999999999999999999999999": "38 digits", "00": "0 in two digits", "-030": "-30 with a leading zero",
    "0009223372036854775808": "2^63 with leading zeros", "30 ": "a raw space behind",
    "\uff13\uff10": "full-width 30, not escaped", "%00": "NUL", "30%00": "NUL behind",
})

COUNTER = [(HOTP_BASE, "counter", "missing")] + with_parameter(HOTP_BASE, "counter", {
    "": "empty", "-1": "-1", "-0": "-0", "+1": "a plus sign", "1.0": "1.0", "1e3": "1e3", "0x10": "0x10",
    "%201": "a space in front", "1%20": "a space behind", "1_000": "an underscore", "abc": "a word",
    "%D9%A1": "Arabic-Indic 1", "18446744073709551616": "2^64", "18446744073709551617": "2^64+1",
    "00018446744073709551616": "2^64 with leading zeros", "-007": "-7 with leading zeros", "1 ": "a raw space behind",
    "\u0661": "Arabic-Indic 1, not escaped", "1%00": "NUL behind",
    "-18446744073709551615": "1-2^64", "340282366920938463463374607431768211456": "2^128",
}) + [(f"{HOTP_BASE}&counters=1", "counter", "only a name that begins like it")]

PERIOD_OF_HOTP = [(f"{HOTP_BASE}&counter=0&period", "period", "no equals sign")] + with_parameter(
    f"{HOTP_BASE}&counter=0", "period", {
        "": "empty", "0": "0", "00": "0 in two digits", "-1": "-1", "-30": "-30", "+30": "a plus sign", "30.5": "30.5",
        "30s": "a unit", "0x1e": "0x1e", "%2030": "an escaped space in front", "30 ": "a raw space behind",
        "abc": "a word", "%EF%BC%93%EF%BC%90": "full-width 30", "9223372036854775808": "2^63",
        "18446744073709551646": "30 and 2^64", "3%": "a percent sign alone", "%FF": "bad UTF-8",
    }) + [(f"{HOTP_BASE}&period=0&counter=0", "period", "0, before the counter"),
          (f"{HOTP_BASE}&counter=0&p%65riod=0", "period", "0, an escape in the name")]

COUNTER_OF_TOTP = [(f"{BASE}&counter", "counter", "no equals sign")] + with_parameter(BASE, "counter", {
    "": "empty", "-1": "-1", "-0": "-0", "+1": "a plus sign", "1.0": "1.0", "1e3": "1e3", "0x10": "0x10",
    "%201": "an escaped space in front", "1 ": "a raw space behind", "abc": "a word", "%D9%A1": "Arabic-Indic 1",
    "18446744073709551616": "2^64", "18446744073709551617": "2^64+1", "1%": "a percent sign alone", "%FF": "bad UTF-8",
}) + [(f"otpauth://totp/alice?counter=-1&{QUERY}", "counter", "-1, before the secret"),
      (f"{BASE}&c%6Funter=-1", "counter", "-1, an escape in the name")]

ROWS: dict[str, list[InvalidRow]] = {
    "secrets": SECRETS,
    "a known parameter twice": TWICE,
    "a parameter of the other type of key twice": OTHER_KIND_TWICE,
    "algorithm": ALGORITHMS,
    "digits": DIGITS,
    "period": PERIOD,
    "counter of an HOTP key": COUNTER,
    "period of an HOTP key, which has none": PERIOD_OF_HOTP,
    "counter of a TOTP key, which has none": COUNTER_OF_TOTP,
}
