"""RFC 2202 (HMAC-SHA-1) and RFC 4231 (HMAC-SHA-2), typed in and confirmed by our own HMAC."""

from ..document import Group, VectorFile, hmac_group
from ..errors import ensure
from ..hmac_rfc2104 import SHA1, SHA256, SHA512, Algorithm, hmac

Row = tuple[bytes, bytes, str, str | None]
"""Key, message, tag, comment."""

COUNTING_KEY = bytes(range(0x01, 0x1A))
LARGE_KEY = b"Test Using Larger Than Block-Size Key - Hash Key First"

RFC2202: list[Row] = [
    (b"\x0b" * 20, b"Hi There", "b617318655057264e28bc0b6fb378c8ef146be00", None),
    (b"Jefe", b"what do ya want for nothing?", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79", None),
    (b"\xaa" * 20, b"\xdd" * 50, "125d7342b9ac11cd91a39af48aa17b4f63f175d3", None),
    (COUNTING_KEY, b"\xcd" * 50, "4c9007f4026250c6bc8414f9bf50c86c2d7235da", None),
    (b"\x0c" * 20, b"Test With Truncation", "4c1a03424b55e07fe7f27be1d58bb9324a9a5a04", None),
    (b"\xaa" * 80, LARGE_KEY, "aa4ae5e15272d00e95705637ce8a3b55ed402112", None),
    (b"\xaa" * 80, b"Test Using Larger Than Block-Size Key and Larger Than One Block-Size Data",
     "e8e99d0f45237d786d6bbaa7965c7808bbff1a91", None),
    (b"\x0c" * 20, b"Test With Truncation", "4c1a03424b55e07fe7f27be1", "test 5 again, its 96-bit tag"),
]

RFC4231_INPUTS: list[tuple[bytes, bytes]] = [
    (b"\x0b" * 20, b"Hi There"),
    (b"Jefe", b"what do ya want for nothing?"),
    (b"\xaa" * 20, b"\xdd" * 50),
    (COUNTING_KEY, b"\xcd" * 50),
    (b"\x0c" * 20, b"Test With Truncation"),
    (b"\xaa" * 131, LARGE_KEY),
    (b"\xaa" * 131, b"This is a test using a larger than block-size key and a larger than block-size data. "
                    b"The key needs to be hashed before being used by the HMAC algorithm."),
]

RFC4231_TAGS: dict[Algorithm, list[str]] = {
    SHA256: [
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
        "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
        "a3b6167473100ee06e0c796c2955552b",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
    ],
    SHA512: [
        "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
        "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
        "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
        "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39"
        "bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb",
        "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3db"
        "a91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd",
        "415fad6271580a531d4179bc891d87a6",
        "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
        "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598",
        "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944"
        "b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58",
    ],
}


def build_rfc2202() -> VectorFile:
    """The seven SHA-1 tests under their own numbers, then test 5's truncated tag."""
    return VectorFile("rfc2202-hmac-sha1.json", "RFC 2202 section 3", [_group(SHA1, RFC2202)])


def build_rfc4231() -> VectorFile:
    """The seven tests under their own numbers, for SHA-256 and SHA-512."""
    groups = []
    for algorithm, tags in RFC4231_TAGS.items():
        rows: list[Row] = []
        for number, ((key, message), tag) in enumerate(zip(RFC4231_INPUTS, tags, strict=True), start=1):
            rows.append((key, message, tag, "the tag's first 128 bits" if number == 5 else None))
        groups.append(_group(algorithm, rows))
    return VectorFile("rfc4231-hmac-sha2.json", "RFC 4231 section 4", groups)


def _group(algorithm: Algorithm, rows: list[Row]) -> Group:
    group = hmac_group(algorithm)
    for key, message, tag, comment in rows:
        computed = hmac(algorithm, key, message).hex()
        ensure(computed.startswith(tag), f"HMAC-{algorithm.name} of {message!r}: computed {computed}, not {tag}")
        group.add({"keyHex": key.hex(), "messageHex": message.hex(), "tagHex": tag, "result": "valid"}, comment)
    return group
