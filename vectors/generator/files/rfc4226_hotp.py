"""RFC 4226 Appendix D, typed in and confirmed by our own HMAC."""

from ..document import VectorFile, hotp_group
from ..errors import ensure
from ..otp import HotpKey

# counter, HMAC, truncated number, code
ROWS = [
    (0, "cc93cf18508d94934c64b65d8ba7667fb7cde4b0", 1284755224, "755224"),
    (1, "75a48a19d4cbe100644e8ac1397eea747a2d33ab", 1094287082, "287082"),
    (2, "0bacb7fa082fef30782211938bc1c5e70416ff44", 137359152, "359152"),
    (3, "66c28227d03a2d5529262ff016a1e6ef76557ece", 1726969429, "969429"),
    (4, "a904c900a64b35909874b33e61c5938a8e15ed1c", 1640338314, "338314"),
    (5, "a37e783d7b7233c083d4f62926c7a25f238d0316", 868254676, "254676"),
    (6, "bc9cd28561042c83f219324d3c607256c03272ae", 1918287922, "287922"),
    (7, "a4fb960c0bc06e1eabb804e5b397cdc4b45596fa", 82162583, "162583"),
    (8, "1b3c89f65e6c9e883012052823443f048b4332db", 673399871, "399871"),
    (9, "1637409809a679dc698207310c8c7fc07290d9e5", 645520489, "520489"),
]


def build() -> VectorFile:
    """The ten rows in one group."""
    key = HotpKey()
    group = hotp_group(key)
    for counter, hmac_hex, truncated, code in ROWS:
        computed = (key.hmac(counter).hex(), key.truncated(counter), key.code(counter))
        ensure(computed == (hmac_hex, truncated, code), f"RFC 4226, counter {counter}: computed {computed}")
        group.add({"counter": str(counter), "hmacHex": hmac_hex, "truncated": truncated, "code": code})
    return VectorFile("rfc4226-hotp.json", "RFC 4226 Appendix D", [group])
