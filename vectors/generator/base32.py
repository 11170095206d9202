"""The reference base32 codec (RFC 4648 section 6), lenient as the default decoder is."""

from __future__ import annotations

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
SEPARATORS = " -"
_VALUES = {symbol: value for value, symbol in enumerate(ALPHABET)}
_VALUES |= {symbol.lower(): value for symbol, value in _VALUES.items()}
_PADDING = {0: 0, 2: 6, 4: 4, 5: 3, 7: 1}
"""The padding of a last group, by its number of symbols; the lengths missing here are errors."""


class Base32Error(ValueError):
    """A text that is not base32, for its `symbol`, `padding`, `length` or `trailing bits`."""


def decode(text: str) -> bytes:
    """The bytes of `text`: any case, separators ignored anywhere, trailing bits dropped."""
    joined = "".join(character for character in text if character not in SEPARATORS)
    body = joined.rstrip("=")
    padding = len(joined) - len(body)
    values: list[int] = []
    for character in body:
        if character == "=":
            raise Base32Error("padding")
        if character not in _VALUES:
            raise Base32Error("symbol")
        values.append(_VALUES[character])
    group = len(values) % 8
    if group not in _PADDING:
        raise Base32Error("length")
    if padding not in (0, _PADDING[group]):
        raise Base32Error("padding")
    bits = 0
    for value in values:
        bits = bits << 5 | value
    size = len(values) * 5 // 8
    return (bits >> (len(values) * 5 - size * 8)).to_bytes(size, "big")


def decode_strict(text: str) -> bytes:
    """The bytes of `text`, strictly by RFC 4648: upper case, full padding, no separators, unused bits zero."""
    data = decode(text)  # its reasons come first
    if any(character not in ALPHABET + "=" for character in text):
        raise Base32Error("symbol")
    padded = encode(data) + "=" * (-len(encode(data)) % 8)
    if len(text) != len(padded):
        raise Base32Error("padding")
    if text != padded:
        raise Base32Error("trailing bits")
    return data


def encode(data: bytes) -> str:
    """The canonical text of `data`: upper case, no padding."""
    bit_count = len(data) * 8
    symbol_count = -(-bit_count // 5)
    bits = int.from_bytes(data, "big") << (symbol_count * 5 - bit_count)
    return "".join(ALPHABET[bits >> 5 * (symbol_count - 1 - place) & 31] for place in range(symbol_count))
