"""Base32 as people and issuers write it, and what is not base32."""

from __future__ import annotations

from .. import base32
from ..document import Group, VectorFile
from ..otp import SEED_20
from .base32_files import add_invalid, add_valid, base32_group

FOOBA = b"fooba"
FOOBAR = b"foobar"


def build() -> VectorFile:
    """All groups."""
    groups = [_case(), _separators(), _separators_at_padding(), _lengths(), _byte_values(), _trailing_bits(), _long()]
    groups += [_wrong_length(), _wrong_padding(), _wrong_separated_padding()]
    groups += [_wrong_ascii(), _wrong_unicode(), _wrong_places()]
    return VectorFile("base32-cases.json", "swift-otp: base32 (RFC 4648 section 6), read leniently", groups)


def _case() -> Group:
    group = base32_group("letters in any case")
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
    value = base32.decode(alphabet)
    add_valid(group, alphabet, value, "the whole alphabet")
    add_valid(group, alphabet.lower(), value, "the whole alphabet in lower case")
    add_valid(group, alphabet.swapcase()[:13] + alphabet[13:], value, "half of it in lower case")
    add_valid(group, "mzxw6ytb", FOOBA, "lower case")
    add_valid(group, "MzXw6yTb", FOOBA, "mixed case")
    add_valid(group, "mzxw6===", b"foo", "lower case with padding")
    add_valid(group, "mZxW6YtBoI", FOOBAR, "mixed case, partial last group")
    return group


def _separators() -> Group:
    group = base32_group("ASCII spaces and hyphens are ignored wherever they stand")
    add_valid(group, "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ", SEED_20, "groups of four, spaces")
    add_valid(group, "gezd gnbv gy3t qojq gezd gnbv gy3t qojq", SEED_20, "groups of four, spaces, lower case")
    add_valid(group, "GEZD-GNBV-GY3T-QOJQ-GEZD-GNBV-GY3T-QOJQ", SEED_20, "groups of four, hyphens")
    add_valid(group, "GEZDG NBVGY 3TQOJ QGEZD GNBVG Y3TQO JQ", SEED_20, "groups of five, the last one partial")
    add_valid(group, "GEZDGNBV-GY3TQOJQ GEZDGNBV-GY3TQOJQ", SEED_20, "hyphens and spaces")
    add_valid(group, "M Z X W 6 Y T B", FOOBA, "a space after every symbol")
    add_valid(group, "MZXW  6YTB", FOOBA, "two spaces")
    add_valid(group, "MZXW - 6YTB", FOOBA, "a hyphen between spaces")
    add_valid(group, " MZXW6YTB", FOOBA, "a space in front")
    add_valid(group, "MZXW6YTB ", FOOBA, "a space behind")
    add_valid(group, "-MZXW6YTB-", FOOBA, "hyphens in front and behind")
    add_valid(group, "MZXW 6YTB OI", FOOBAR, "partial last group, no padding")
    add_valid(group, "MZXW 6YTB OI======", FOOBAR, "partial last group with padding")
    add_valid(group, "MZXW-6===", b"foo", "separators do not count towards the padding's multiple of eight")
    add_valid(group, "MZXW6 ===", b"foo", "a space between the last symbol and the padding")
    add_valid(group, " ", b"", "a separator alone decodes to no bytes")
    add_valid(group, "-", b"", "a hyphen alone decodes to no bytes")
    add_valid(group, " - - ", b"", "separators alone decode to no bytes")
    return group


def _separators_at_padding() -> Group:
    group = base32_group("ASCII spaces and hyphens inside and after the padding")
    add_valid(group, "MZXW6=== ", b"foo", "a space behind the padding")
    add_valid(group, "MZXW6===-", b"foo", "a hyphen behind the padding")
    add_valid(group, "MZXW6===   - ", b"foo", "several behind the padding")
    add_valid(group, "MZXW6=-==", b"foo", "a hyphen inside the padding")
    add_valid(group, "MZXW6== =", b"foo", "a space inside the padding")
    add_valid(group, "MZXW6 = = = ", b"foo", "a space around every padding character")
    add_valid(group, "MZXW6-=-=-=-", b"foo", "a hyphen around every padding character")
    add_valid(group, "AA===== =", b"\0", "a space before the last of six")
    add_valid(group, "AA= =====", b"\0", "a space behind the first of six")
    add_valid(group, "MZXQ-====", b"fo", "a hyphen before four")
    add_valid(group, "MZXW6YQ =", b"foob", "a space before one")
    add_valid(group, "MZXW6YQ= ", b"foob", "a space behind one")
    add_valid(group, "mzxw 6ytb oi== ====", FOOBAR, "groups of four, the padding too")
    add_valid(group, "mzxw-6ytb-oi==-====", FOOBAR, "groups of four with hyphens, the padding too")
    return group


def _lengths() -> Group:
    group = base32_group("one to ten bytes, without and with padding")
    data = bytes.fromhex("8137f0a55ac30e964bd2")
    for length in range(1, 11):
        text = base32.encode(data[:length])
        plural = "" if length == 1 else "s"
        add_valid(group, text, data[:length], f"{length} byte{plural}")
        if length % 5:
            add_valid(group, text + "=" * (-len(text) % 8), data[:length], f"{length} byte{plural}, padding")
    return group


def _byte_values() -> Group:
    group = base32_group("every byte value")
    ascending = bytes(range(256))
    for data, comment in ((ascending, "0 to 255"), (ascending[::-1], "255 to 0")):
        add_valid(group, base32.encode(data), data, comment)
    for value in (0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF):
        for length in (1, 5):
            data = bytes([value]) * length
            add_valid(group, base32.encode(data), data, f"0x{value:02x} {'once' if length == 1 else 'five times'}")
    return group


def _trailing_bits() -> Group:
    group = base32_group("the last symbol's unused bits are not zero: accepted, the bits dropped")
    add_valid(group, "M7", b"\x67", "two symbols, both unused bits set")
    add_valid(group, "MZ", b"f", "two symbols, the lowest unused bit set")
    add_valid(group, "m7", b"\x67", "two symbols in lower case")
    add_valid(group, "M7======", b"\x67", "two symbols with padding")
    add_valid(group, "77", b"\xff", "all ten bits set")
    add_valid(group, "MZXR", b"fo", "four symbols")
    add_valid(group, "MZX7", b"\x66\x6f", "four symbols, all unused bits set")
    add_valid(group, "MZXW7", b"foo", "five symbols, the one unused bit set")
    add_valid(group, "MZXW6YR", b"foob", "seven symbols")
    add_valid(group, "MZXW6Y7=", b"\x66\x6f\x6f\x63", "seven symbols, all unused bits set, padding")
    add_valid(group, "MZXW6YTBOJ", FOOBAR, "two symbols after a whole group")
    return group


def _long() -> Group:
    group = base32_group("long texts")
    for length in (20, 32, 64, 128, 255, 1000):
        data = bytes((place * 151 + length) % 256 for place in range(length))
        add_valid(group, base32.encode(data), data, f"{length} bytes")
    return group


def _wrong_length() -> Group:
    group = base32_group("one, three or six symbols past a whole group: no number of bytes has that length")
    for text in ("A", "ABC", "ABCDEF", "MZXW6YTBA", "MZXW6YTBABC", "MZXW6YTBABCDEF"):
        add_invalid(group, text, "length", f"{len(text)} symbols")
        padded = text + "=" * (-len(text) % 8)
        add_invalid(group, padded, "length", f"{len(text)} symbols, filled up to {len(padded)}")
    add_invalid(group, "a", "length", "1 symbol, lower case")
    add_invalid(group, "AB C", "length", "3 symbols and a space")
    add_invalid(group, "A-B-C-D-E-F", "length", "6 symbols and hyphens")
    add_invalid(group, "7", "length", "1 symbol, all bits set")
    return group


def _wrong_padding() -> Group:
    group = base32_group("padding that is not the one its text needs")
    for text, comment in (
        ("=", "padding alone: one"),
        ("========", "padding alone: eight"),
        ("MY=", "one instead of six"),
        ("MY==", "two instead of six"),
        ("MY=====", "five instead of six"),
        ("MY=======", "seven instead of six"),
        ("MY==============", "fourteen instead of six"),
        ("MZXQ=", "one instead of four"),
        ("MZXQ===", "three instead of four"),
        ("MZXQ=====", "five instead of four"),
        ("MZXW6=", "one instead of three"),
        ("MZXW6==", "two instead of three"),
        ("MZXW6====", "four instead of three"),
        ("MZXW6===========", "eleven instead of three: the total is a multiple of eight"),
        ("MZXW6YQ==", "two instead of one"),
        ("MZXW6YQ=========", "nine instead of one: the total is a multiple of eight"),
        ("MZXW6YTB=", "one instead of none"),
        ("MZXW6YTB========", "eight instead of none"),
        ("MZXW6YTBOI=", "one instead of six"),
        ("MZXW6YTBOI=====", "five instead of six"),
        ("=MZXW6YTB", "in front"),
        ("========MZXW6YTB", "a whole group of padding in front"),
        ("MZXW=6YT", "in the middle"),
        ("MZ==XW6Y", "two in the middle"),
        ("MZXW6===MZXW6===", "two padded texts joined: data after the padding"),
        ("MY======MY", "data after the padding"),
        ("MZXW6==A", "a symbol after the padding"),
        ("MZXW6YT=B", "between the last two symbols"),
        ("M=======", "seven for one symbol"),
        ("MZX=====", "five for three symbols"),
        ("MZXW6Y==", "two for six symbols"),
    ):
        alone = text.rstrip("=")
        reason = "length" if "=" not in alone and len(alone) % 8 in (1, 3, 6) else "padding"
        add_invalid(group, text, reason, comment)
    return group


def _wrong_separated_padding() -> Group:
    group = base32_group("separators do not count as padding, and do not end it")
    for text, comment in (
        (" =", "a space and padding alone"),
        ("= ", "padding alone and a space"),
        ("==== ====", "eight in two groups, alone"),
        ("MZXW6 ==", "two and a space instead of three"),
        ("MZXW6== ", "two and a space behind instead of three"),
        ("MZXW6=-=", "two and a hyphen instead of three"),
        ("MZXW6=== =", "a fourth behind a space"),
        ("MZXW6=== ====", "seven in two groups instead of three"),
        ("MZXW6YTB =", "one behind a space instead of none"),
        ("MZXW6YTB ========", "a whole group of padding behind a space"),
        ("AA==== =", "five instead of six, one behind a space"),
        ("MZXW6=== A", "a symbol behind padding and space"),
        ("MZXW6== A=", "a symbol inside the padding, behind a space"),
        ("MZXW6=== MZXW6===", "two padded texts with a space between"),
        ("MY======-MY======", "two padded texts with a hyphen between"),
    ):
        add_invalid(group, text, "padding", comment)
    for character, comment in {"\t": "a tab", "\n": "a newline", "_": "an underscore", ".": "a full stop"}.items():
        add_invalid(group, "MZXW6===" + character, "padding", f"{comment} behind the padding")
        add_invalid(group, "MZXW6==" + character + "=", "padding", f"{comment} inside the padding")
    return group


def _wrong_ascii() -> Group:
    group = base32_group("ASCII characters outside the alphabet; the length is right with and without them")
    characters = {
        "0": "0 is not O", "1": "1 is not I or L", "8": "8 is not B", "9": "9",
        "@": "before A", "[": "after Z", "`": "before a", "{": "after z",
        "/": "before the digits", ":": "after the digits",
        "!": "exclamation mark", '"': "quotation mark", "#": "number sign", "%": "percent sign", "+": "plus sign",
        ",": "comma", ".": "full stop", "_": "underscore", "\\": "backslash", "~": "tilde", "\x7f": "delete",
        "\0": "NUL", "\x01": "control character", "\t": "tab", "\n": "newline", "\r": "carriage return",
        "\x0b": "vertical tab", "\f": "form feed", "\x1f": "the character before space",
    }
    for character, comment in characters.items():
        add_invalid(group, "MZXW6YT" + character, "symbol", comment)
    add_invalid(group, "MZXW6YTB\r\n", "symbol", "carriage return and newline after a whole group")
    add_invalid(group, "MZXW6YTB\n", "symbol", "newline after a whole group")
    add_invalid(group, "MZXW6YTB\0", "symbol", "NUL after a whole group")
    add_invalid(group, "MZXW\t6YTB", "symbol", "tab between groups")
    add_invalid(group, "MZXW%206YTB", "symbol", "a percent-encoded space")
    return group


def _wrong_unicode() -> Group:
    group = base32_group("characters outside ASCII; many look like or convert to a symbol")
    characters = {
        "\u00e9": "e with acute accent", "\uff21": "full-width A", "\uff41": "full-width a", "\uff12": "full-width 2",
        "\u0410": "Cyrillic A", "\u0391": "Greek Alpha", "\u212a": "Kelvin sign, k in lower case",
        "\u0131": "dotless i, I in upper case", "\u0130": "I with dot above", "\u017f": "long s, S in upper case",
        "\u00df": "sharp s, SS in upper case", "\ufb00": "ff ligature, FF in upper case", "\u24b6": "circled A",
        "\u0662": "Arabic-Indic 2", "\u00b2": "superscript 2", "\U0001d400": "mathematical bold A",
        "\u00a0": "no-break space", "\u2003": "em space", "\u3000": "ideographic space", "\u2028": "line separator",
        "\u2010": "hyphen outside ASCII", "\u2011": "non-breaking hyphen", "\u2013": "en dash", "\u2212": "minus sign",
        "\uff1d": "full-width equals sign", "\u200b": "zero-width space", "\ufeff": "byte order mark",
        "\u00ad": "soft hyphen", "\u0080": "first character outside ASCII", "\u0141": "A in its low eight bits",
        "\u0132": "2 in its low eight bits", "\U0001f511": "emoji",
    }
    for character, comment in characters.items():
        add_invalid(group, "MZXW6YT" + character, "symbol", comment)
    add_invalid(group, "MZXW6YTB\u0301", "symbol", "a combining accent on the last symbol")
    add_invalid(group, "MZXW \u03016YTB", "symbol", "a combining accent on a separator")
    add_invalid(group, "MZXW6==\u0301=", "padding", "a combining accent on the padding")
    return group


def _wrong_places() -> Group:
    group = base32_group("a wrong character wherever it stands")
    for place in range(16):
        text = "MZXW6YTBMZXW6YTB"
        add_invalid(group, text[:place] + "0" + text[place + 1:], "symbol", f"symbol {place + 1} of 16 is a zero")
    add_invalid(group, "!", "symbol", "alone")
    add_invalid(group, "MZXW6!==", "symbol", "just before the padding")
    return group
