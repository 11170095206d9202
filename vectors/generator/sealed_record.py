"""A second implementation of sealed records, from the page *The format of a record* (`RecordFormat.md`).

A record is a dictionary of fields as in `record-format.json`. Only AES, CMAC and GCM are another's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.cmac import CMAC

from .document import Fields
from .hmac_rfc2104 import SHA256, Algorithm, hmac

Keys = dict[str, bytes]
"""A keyring's keys by name."""

KINDS = {"totp": 1, "hotp": 2, "recovery-codes": 3}
ALGORITHM_NAMES = ("SHA1", "SHA256", "SHA512")
DRIFTS = range(-10_000, 10_001)
VERSION, SEAL_VERSION, UNSEALED = 1, 1, 0x80
SPENT_COUNTS = range(1, 11)
NONCE_SIZE, TAG_SIZE = 24, 16


class RecordError(Exception):
    """Bytes that are not a record, or not this subject's; the text is the error's name."""


def seal(record: Fields, subject: bytes, keys: Keys, name: str, nonce: bytes) -> bytes:
    """A record as it is stored, sealed with one of the keys. No two may have the same nonce."""
    kind = KINDS[str(record["type"])]
    head = bytes([VERSION, kind])
    header = bytes([SEAL_VERSION, len(name)]) + name.encode()
    sealed = _cipher(keys[name], nonce).encrypt(nonce[12:], encode(record), _bound(name, head + subject))
    return head + subject_hash(subject) + header + nonce + sealed


def open_sealed(sealed: bytes, subject: bytes, keys: Keys) -> Fields:
    """The record that `seal` sealed for the subject with one of the keys."""
    _ensure(len(sealed) > 2 and sealed[0] != 0)
    _ensure(sealed[0] == VERSION, "laterVersion")
    kind = next((name for name, number in KINDS.items() if number == sealed[1] & ~UNSEALED), None)
    _ensure(kind is not None)
    _ensure(not sealed[1] & UNSEALED, "wrongEncoding")
    _ensure(len(sealed) > 6)
    _ensure(sealed[2:6] == subject_hash(subject), "anotherSubject")
    value = sealed[6:]
    _ensure(len(value) >= 2 and value[0] == SEAL_VERSION and len(value) >= 2 + value[1] + NONCE_SIZE + TAG_SIZE)
    name, rest = value[2:2 + value[1]], value[2 + value[1]:]
    key = {known.encode(): key for known, key in keys.items()}.get(name)
    if key is None:
        raise RecordError("unknownKey")
    nonce = rest[:NONCE_SIZE]
    try:
        bound = _bound(name.decode(), sealed[:2] + subject)
        content = _cipher(key, nonce).decrypt(nonce[12:], rest[NONCE_SIZE:], bound)
    except InvalidTag as error:
        raise RecordError("notAuthentic") from error
    return decode(str(kind), content)


def key_name(sealed: bytes) -> str:
    """The name of the key that sealed a record."""
    return sealed[8:8 + sealed[7]].decode()


def subject_hash(subject: bytes) -> bytes:
    """FNV-1a."""
    value = 2166136261
    for byte in subject:
        value = (value ^ byte) * 16777619 % 2**32
    return value.to_bytes(4, "big")


def _cipher(key: bytes, nonce: bytes) -> AESGCM:
    """AES-256-GCM with the key of one message, for the second half of its nonce."""
    return AESGCM(b"".join(_cmac(key, bytes([0, counter, 0x58, 0]) + nonce[:12]) for counter in (1, 2)))


def _cmac(key: bytes, message: bytes) -> bytes:
    state = CMAC(AES(key))
    state.update(message)
    return state.finalize()


def _bound(name: str, place: bytes) -> bytes:
    """The additional authenticated data of a record."""
    return (_counted(b"swift-otp sealed value") + bytes([SEAL_VERSION]) + _counted(name.encode())
            + _counted(b"factor record") + _length(1) + _counted(place))


# ---- The content.

def encode(record: Fields) -> bytes:
    """A record's content."""
    parts = [
        _flag(record["isPending"]), _signed(record["enrolled"]),
        _unsigned(record["failures"]), _unsigned(record["acceptances"]), _optional(record["latest"], _signed),
        _optional(record["last"], _unsigned), _flag(record["isAcceptedHere"]),
        _signed(record["driftFound"]), _signed(record["driftLearned"]), _optional(record["loss"], _signed)]
    if record["type"] == "recovery-codes":
        codes = record["recoveryCodes"]
        parts.append(bytes([len(codes)]))
        parts += [bytes([code["number"] | (0x80 if code["isUsed"] else 0)]) + _counted(bytes.fromhex(code["tagHex"]))
                  for code in codes]
    else:
        parts += [bytes([ALGORITHM_NAMES.index(record["algorithm"]), record["digits"]]),
                  _signed(record["period"]), _signed(record["t0"]), _counted(bytes.fromhex(record["secretHex"]))]
    spent = record.get("spent", [])
    parts += [bytes([len(spent)])] if spent else []
    parts += [_counted(bytes.fromhex(former["fingerprintHex"])) + _unsigned(former["last"]) for former in spent]
    return b"".join(parts)


def decode(kind: str, content: bytes) -> Fields:
    """The record whose content it is."""
    reader = _Reader(content)
    record: Fields = {
        "type": kind, "isPending": reader.flag(), "enrolled": str(reader.signed()), "failures": str(reader.unsigned()),
        "acceptances": str(reader.unsigned()), "latest": reader.optional(reader.signed),
        "last": reader.optional(reader.unsigned), "isAcceptedHere": reader.flag(),
        "driftFound": reader.drift(), "driftLearned": reader.drift(), "loss": reader.optional(reader.signed)}
    if kind == "recovery-codes":
        codes: list[Fields] = []
        for _ in range(reader.byte()):
            number, tag = reader.byte(), reader.counted()
            codes.append({"number": number & 0x7F, "isUsed": number > 0x7F, "tagHex": tag.hex()})
            _ensure(1 <= number & 0x7F <= 20 and len(tag) == 32)
        _ensure(all(one["number"] < next_one["number"] for one, next_one in zip(codes, codes[1:], strict=False)))
        record["recoveryCodes"] = codes
    else:
        algorithm, digits, period, t0 = reader.byte(), reader.byte(), reader.signed(), reader.signed()
        secret = reader.counted()
        _ensure(algorithm < len(ALGORITHM_NAMES) and digits in (6, 7, 8) and period >= 1 and secret != b"")
        record |= {"algorithm": ALGORITHM_NAMES[algorithm], "digits": digits, "period": str(period), "t0": str(t0),
                   "secretHex": secret.hex()}
    if reader.position < len(content):
        count = reader.byte()
        spent = [{"fingerprintHex": reader.counted().hex(), "last": str(reader.unsigned())} for _ in range(count)]
        _ensure(count in SPENT_COUNTS and all(len(former["fingerprintHex"]) == 32 for former in spent))
        record["spent"] = spent
    reader.finish()
    return record


def fingerprint(algorithm: Algorithm, secret: bytes) -> bytes:
    """What a record remembers a former secret by."""
    return hmac(algorithm, secret, b"swift-otp spent secret")[:16]


def recovery_code_tag(code: bytes) -> bytes:
    """The hash of a recovery code's 15 bytes."""
    return hmac(SHA256, b"swift-otp recovery code", code)


def _ensure(condition: bool, error: str = "malformed") -> None:
    if not condition:
        raise RecordError(error)


def _flag(value: bool) -> bytes:
    return bytes([1 if value else 0])


def _signed(value: int | str) -> bytes:
    return int(value).to_bytes(8, "big", signed=True)


def _unsigned(value: int | str) -> bytes:
    return int(value).to_bytes(8, "big")


def _optional(value: str | None, write: Callable[[int | str], bytes]) -> bytes:
    return _flag(False) if value is None else _flag(True) + write(value)


def _length(value: int) -> bytes:
    low = b""
    while value > 0x7F:
        low, value = low + bytes([value & 0x7F | 0x80]), value >> 7
    return low + bytes([value])


def _counted(value: bytes) -> bytes:
    return _length(len(value)) + value


@dataclass
class _Reader:
    """Reads values one after another."""

    content: bytes
    position: int = 0

    def finish(self) -> None:
        _ensure(self.position == len(self.content))

    def take(self, count: int) -> bytes:
        _ensure(count <= len(self.content) - self.position)
        self.position += count
        return self.content[self.position - count:self.position]

    def byte(self) -> int:
        return self.take(1)[0]

    def flag(self) -> bool:
        value = self.byte()
        _ensure(value <= 1)
        return value == 1

    def unsigned(self) -> int:
        return int.from_bytes(self.take(8), "big")

    def signed(self) -> int:
        return int.from_bytes(self.take(8), "big", signed=True)

    def drift(self) -> int:
        value = self.signed()
        _ensure(value in DRIFTS)
        return value

    def optional(self, read: Callable[[], Any]) -> str | None:
        return str(read()) if self.flag() else None

    def counted(self) -> bytes:
        count = 0
        for place in range(4):
            byte = self.byte()
            count |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                _ensure(byte != 0 or place == 0)
                return self.take(count)
        raise RecordError("malformed")
