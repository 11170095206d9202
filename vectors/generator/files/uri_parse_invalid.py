"""URIs invalid in their frame, label or escapes; a row is the URI, the wrong part and a comment."""

from __future__ import annotations

from ..key_uri import MAX_LENGTH
from .uri_build import SECRET
from .uri_parse_invalid_values import InvalidRow
from .uri_parse_valid import ACME, BASE, HOTP_BASE, QUERY, filled, filled_raw

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
    (filled_raw(f"{BASE}&image=", "\u00e9", MAX_LENGTH + 1), "length",
     "2,049 bytes once the raw e with accent is escaped"),
    (filled_raw(f"{BASE}&image=", "\U0001f511", MAX_LENGTH + 1), "length",
     "2,049 bytes once the raw emoji are escaped"),
    (filled_raw(f"{BASE}&image=a", " ", MAX_LENGTH + 1), "length", "2,049 bytes once the raw spaces are escaped"),
    ("otpauth://totp/" + "\u00e9" * 350 + f"?{QUERY}", "length", "an account of 350 raw letters, 2,100 bytes escaped"),
    (f"{BASE}&issuer=" + "\u5c71" * 250, "length", "an issuer of 250 raw letters, 2,250 bytes escaped"),
    (f" {BASE}", "scheme", "a space in front"),
    (f"\ufeff{BASE}", "scheme", "a byte order mark in front"),
    (f"otpauth:// totp/alice?{QUERY}", "type", "a space before the type"),
    (f"otpauth://totp /alice?{QUERY}", "type", "a space after the type"),
    (f"otpauth://%74otp/alice?{QUERY}", "type", "an escaped letter in the type"),
    (f"otpauth\u0301://totp/alice?{QUERY}", "scheme", "a combining accent on the scheme"),
    (f"{BASE}#\u0301", "fragment", "a number sign before a combining accent"),
]

CONTROL_CHARACTERS: list[InvalidRow] = [
    (f"otpauth://totp/al{chr(code)}ice?{QUERY}", "control character", f"0x{code:02x} in the account")
    for code in (*range(0x20), 0x7F)
] + [
    (uri, "control character", comment)
    for uri, comment in (
        (f"\n{BASE}", "newline in front"),
        (f"{BASE}\n", "newline at the end"),
        (f"{BASE}\r\n", "carriage return and newline at the end"),
        (f"{BASE}\0", "NUL at the end"),
        (f"otp\tauth://totp/alice?{QUERY}", "tab in the scheme"),
        (f"otpauth://to\ntp/alice?{QUERY}", "newline in the type"),
        (f"otpauth://totp/\talice?{QUERY}", "tab before the account"),
        (f"otpauth://totp/AC\x7fME:alice?{QUERY}", "delete in the label's issuer"),
        ("otpauth://totp/alice?secret=MZXW\t6YTB", "tab in the secret"),
        ("otpauth://totp/alice?secret=MZXW\n6YTB", "newline in the secret"),
        (f"otpauth://totp/alice?\n{QUERY}", "newline before a known name"),
        (f"{BASE}&\r\nissuer=ACME", "carriage return and newline before a known name"),
        (f"{BASE}&issuer=AC\0ME", "NUL in the issuer parameter"),
        (f"{BASE}&issuer=ACME\x1f", "0x1f at the end of the issuer parameter"),
        (f"{BASE}&algorithm=SHA1\n", "newline after the algorithm"),
        (f"{BASE}&digits=6\n", "newline after the digits"),
        (f"{BASE}&period=\t30", "tab before the period"),
        (f"{HOTP_BASE}&counter=1\n", "newline after the counter"),
        (f"{BASE}&image=a\x7fb", "delete in an unknown parameter's value"),
        (f"{BASE}&ima\tge=x", "tab in an unknown parameter's name"),
    )
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
    (f"otpauth://totp/ ?{QUERY}", "account", "a raw space alone"),
    (f"otpauth://totp/ACME:  ?{QUERY}", "account", "issuer and raw spaces without account"),
    (f"otpauth://totp/A:b:\u0301c?{QUERY}", "account", "the account's raw colon has a raw combining accent"),
    (f"otpauth://totp/A/B:c/D:e?{QUERY}", "account", "two literal colons, and slashes"),
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
    (f"otpauth://totp/a%\u03014?{QUERY}", "label", "in the account: a percent sign before a combining accent"),
    (f"otpauth://totp/a%\uff14\uff11?{QUERY}", "label", "in the account: full-width hex digits"),
    (f"{ACME}&issuer=%C3\u00e9", "issuer", "in the issuer parameter: a sequence broken off by a raw character"),
]

UNKNOWN: list[InvalidRow] = [
    row
    for sequence, comment in (BAD_ESCAPES | BAD_UTF8).items()
    for row in (
        (f"{BASE}&x{sequence}=y", "parameter", f"in the name: {comment}"),
        (f"{BASE}&image=x{sequence}", "parameter", f"in the value: {comment}"),
    )
] + [
    (f"{BASE}&x%", "parameter", "a percent sign at the end of a name without a value"),
    (f"otpauth://totp/alice?x=%FF&{QUERY}", "parameter", "a bad value before the secret"),
    (f"{BASE}&sec%ret=x", "parameter", "a name that would be known without its percent sign"),
    (f"{BASE}&%C3=%A9", "parameter", "a character divided between name and value"),
    (f"{BASE}&a=%C3&%A9=b", "parameter", "a character divided between two parameters"),
    (f"{BASE}&a=%4&1=b", "parameter", "an escape divided between two parameters"),
    (f"{BASE}&=x", "parameter", "an empty name"),
    (f"{BASE}&=", "parameter", "an empty name and value"),
    (f"{BASE}&==", "parameter", "an empty name, an equals sign as the value"),
    (f"otpauth://totp/alice?=x&{QUERY}", "parameter", "an empty name before the secret"),
    (f"otpauth://totp/alice?={SECRET}&{QUERY}", "parameter", "an empty name whose value is a secret"),
    (f"{BASE}&=x&issuer=ACME", "parameter", "an empty name between parameters"),
    (f"{HOTP_BASE}&counter=0&=x", "parameter", "an empty name in an HOTP URI"),
]

PERCENT_ALGORITHMS: list[InvalidRow] = [
    (f"otpauth://totp/{issuer}:alice@example.com?{QUERY}&issuer={issuer}&algorithm=%{algorithm}&digits=6", "algorithm",
     comment)
    for issuer, algorithm, comment in (
        ("ACME", "SHA1", "SHA1"),
        ("ACME Co", "SHA1", "SHA1, and spaces as they are, as that SDK leaves them"),
        ("", "SHA1", "SHA1, and an empty issuer"),
        ("ACME", "SHA256", "SHA256"),
        ("ACME", "SHA512", "SHA512"),
    )
]

ROWS: dict[str, list[InvalidRow]] = {
    "not an otpauth URI, or one with parts that it must not have": FRAMES,
    "raw control characters": CONTROL_CHARACTERS,
    "labels without an account, or with a colon too many": LABELS,
    "bad percent escapes and bad UTF-8": ESCAPES,
    "unknown parameters with a bad escape or bad UTF-8, and parameters without a name": UNKNOWN,
    "a percent sign before the algorithm, as Firebase's SDK for iOS wrote it before version 12.1.0": PERCENT_ALGORITHMS,
}
