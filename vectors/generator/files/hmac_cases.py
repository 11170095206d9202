"""HMAC at the lengths where hash blocks and key blocks begin and end, and tags that are slightly wrong."""

from __future__ import annotations

from ..document import Group, VectorFile, add_hotp_test, hmac_group, hotp_group
from ..errors import ensure
from ..hmac_rfc2104 import ALGORITHMS, SHA1, SHA512, Algorithm, hmac
from ..otp import SEEDS, HotpKey

MESSAGE_LENGTHS = [0, 1, 7, 8, 9, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 200]
KEY_LENGTHS = [1, 20, 32, 63, 64, 65, 127, 128, 129, 1000]
COUNTERS = [0, 1, 2**63]


def pattern(length: int) -> bytes:
    """Bytes without equal blocks: 1, 168, 79, ... with a different start every 256 bytes."""
    return bytes((1 + 167 * place + 13 * (place // 256)) % 256 for place in range(length))


def build() -> VectorFile:
    """All groups, with the algorithms side by side."""
    groups = [_message_lengths(algorithm) for algorithm in ALGORITHMS]
    groups += [_key_lengths(algorithm) for algorithm in ALGORITHMS]
    groups += [_tag_lengths(algorithm) for algorithm in ALGORITHMS]
    groups += [_wrong_tags(algorithm) for algorithm in ALGORITHMS]
    for algorithm in ALGORITHMS:
        groups += [_hotp_with_key_length(algorithm, length) for length in KEY_LENGTHS]
    return VectorFile("hmac-cases.json", "swift-otp: HMAC (RFC 2104) at block boundaries, and wrong tags", groups)


def _add(group: Group, key: bytes, message: bytes, tag: bytes, result: str, comment: str) -> None:
    fields = {"keyHex": key.hex(), "messageHex": message.hex(), "tagHex": tag.hex(), "result": result}
    group.add(dict(fields), comment)


def _message_lengths(algorithm: Algorithm) -> Group:
    group = hmac_group(algorithm, "message lengths around the ends of hash blocks")
    key = SEEDS[algorithm]
    for length in MESSAGE_LENGTHS:
        message = pattern(length)
        _add(group, key, message, hmac(algorithm, key, message), "valid", f"{length}-byte message")
    return group


def _key_lengths(algorithm: Algorithm) -> Group:
    group = hmac_group(algorithm, f"key lengths around the {algorithm.block_size}-byte block; longer ones are hashed")
    message = b"key length"
    for length in KEY_LENGTHS:
        key = pattern(length)
        _add(group, key, message, hmac(algorithm, key, message), "valid", f"{length}-byte key")
    key = SEEDS[algorithm]
    _add(group, key + b"\0", message, hmac(algorithm, key, message), "valid",
         "a short key and the same key with a zero byte appended have one tag")
    long_key = pattern(algorithm.block_size + 1)
    _add(group, algorithm.digest(long_key), message, hmac(algorithm, long_key, message), "valid",
         "a key past the block and its own hash have one tag")
    return group


def _tag_lengths(algorithm: Algorithm) -> Group:
    group = hmac_group(algorithm, "truncated tags: any number of leading bytes from one up is valid")
    key, message = SEEDS[algorithm], b"tag length"
    tag = hmac(algorithm, key, message)
    for length in sorted({1, 4, 10, 16, algorithm.digest_size - 1, algorithm.digest_size}):
        plural = "" if length == 1 else "s"
        _add(group, key, message, tag[:length], "valid", f"{length} leading byte{plural}")
    return group


def _wrong_tags(algorithm: Algorithm) -> Group:
    group = hmac_group(algorithm, "tags that are not the HMAC's leading bytes")
    key, message = SEEDS[algorithm], b"message 1"
    tag = hmac(algorithm, key, message)
    other = SHA512 if algorithm is SHA1 else SHA1
    long_key = pattern(algorithm.block_size + 1)
    wrong = [
        ("first bit flipped", key, message, bytes([tag[0] ^ 0x80]) + tag[1:]),
        ("last bit flipped", key, message, tag[:-1] + bytes([tag[-1] ^ 0x01])),
        ("one bit flipped in the middle", key, message, _flip_middle(tag)),
        ("last bit of a ten-byte truncated tag flipped", key, message, tag[:9] + bytes([tag[9] ^ 0x01])),
        ("a one-byte tag with its last bit flipped", key, message, bytes([tag[0] ^ 0x01])),
        ("the trailing bytes instead of the leading ones", key, message, tag[-10:]),
        ("the leading bytes without the first", key, message, tag[1:]),
        ("whole tag, then a zero byte: longer than the HMAC", key, message, tag + b"\0"),
        ("whole tag twice", key, message, tag + tag),
        ("truncated tag filled up with zero bytes", key, message, tag[:10].ljust(len(tag), b"\0")),
        ("byte order reversed", key, message, tag[::-1]),
        ("all bytes zero", key, message, bytes(len(tag))),
        ("tag of the neighbouring message", key, message, hmac(algorithm, key, b"message 2")),
        ("tag of the message with a byte appended", key, message, hmac(algorithm, key, message + b"\0")),
        ("tag of the empty message", key, message, hmac(algorithm, key, b"")),
        ("tag under the neighbouring key", key, message, hmac(algorithm, key[:-1] + b"!", message)),
        (f"leading bytes of the {other.name} tag", key, message, hmac(other, key, message)[:16]),
        ("key and message exchanged", key, message, hmac(algorithm, message, key)),
        ("plain hash of key and message", key, message, algorithm.digest(key + message)),
        ("inner hash without the outer one", key, message, _inner_hash(algorithm, key, message)),
        ("long key cut to the block instead of hashed", long_key, message,
         hmac(algorithm, long_key[:algorithm.block_size], message)),
    ]
    for comment, test_key, test_message, test_tag in wrong:
        right = hmac(algorithm, test_key, test_message)
        ensure(not right.startswith(test_tag), f"HMAC-{algorithm.name}, {comment}: the tag is right after all")
        _add(group, test_key, test_message, test_tag, "invalid", comment)
    return group


def _flip_middle(tag: bytes) -> bytes:
    middle = len(tag) // 2
    return tag[:middle] + bytes([tag[middle] ^ 0x10]) + tag[middle + 1:]


def _inner_hash(algorithm: Algorithm, key: bytes, message: bytes) -> bytes:
    block = key.ljust(algorithm.block_size, b"\0")
    return algorithm.digest(bytes(byte ^ 0x36 for byte in block) + message)


def _hotp_with_key_length(algorithm: Algorithm, length: int) -> Group:
    key = HotpKey(pattern(length), algorithm, digits=8)
    group = hotp_group(key, f"{length}-byte key")
    for counter in COUNTERS:
        add_hotp_test(group, key, counter)
    return group
